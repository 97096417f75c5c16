import { expect, test } from 'vitest'
import { nearestWord } from '../src/nearest-word.ts'

const WORDS = ['github', 'gitlab', 'bitbucket', 'npm']

test.each([
  ['githb', 'github'],
  ['gihtub', 'github'],
  ['GitLab', 'gitlab'],
  ['nmp', 'npm'],
  ['bitbuckett', 'bitbucket'],
])('%s is corrected to %s', (typed, word) => {
  expect(nearestWord(typed, WORDS)).toBe(word)
})

test.each(['', 'x', 'sourcehut', 'constructor', 'n'.repeat(10_000)])('%s has no near word', (typed) => {
  expect(nearestWord(typed, WORDS)).toBeNull()
})

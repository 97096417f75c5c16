import { expect, test } from 'vitest'
import { nearestWord } from '../src/nearest-word.ts'

const WORDS = ['github', 'gitlab', 'bitbucket', 'npm']

test.each([
  ['githb', 'github'],
  ['gihtub', 'github'],
  ['GitLab', 'gitlab'],
  ['nmp', 'npm'],
  ['bitbuckett', 'bitbucket'],
])('%s was meant to be %s', (typed, word) => {
  expect(nearestWord(typed, WORDS)).toBe(word)
})

test.each(['', 'x', 'sourcehut', 'constructor', 'n'.repeat(10_000)])('%s is near to none', (typed) => {
  expect(nearestWord(typed, WORDS)).toBeNull()
})

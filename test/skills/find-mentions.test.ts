import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findMentions } from '../../src/skills/turn/find-mentions.ts'

describe('a mention', () => {
  it.each([
    ['use @brainstorming now', ['brainstorming']],
    ['@a @b @a', ['a', 'b']],
    ['(@a), "@b"; @c.', ['a', 'b', 'c']],
    ['@a...', ['a']],
    ['@a_-/.', ['a']],
    ['@a/b/c', ['a/b/c']],
    ['@skills/a', ['skills/a']],
    ['@angular/core', ['angular/core']],
    ['@3d-games', ['3d-games']],
    ['日本語@a', ['a']],
    ['see:@a', ['a']],
  ])('in %j is found', (text, ids) => expect(findMentions(text)).toEqual(ids))

  it.each([
    'joe@go.dev',
    'a_@b',
    'a.@b',
    'a+@b',
    'x@@b',
    '/@b',
    'a-@b',
    '9@b',
    '@',
    '@ a',
    '@-a',
    '@_a',
    '@/a',
    'plain text',
  ])('is not in %j', (text) => expect(findMentions(text)).toEqual([]))
})

describe('fenced code', () => {
  it.each([
    ['backticks', '```\n@no\n```\n@yes'],
    ['an info text', '```js @no\n@no\n```\n@yes'],
    ['tildes', '~~~\n@no\n~~~\n@yes'],
    ['a longer fence around a shorter one', '````\n```\n@no\n```\n@no\n````\n@yes'],
    ['the other mark inside', '```\n~~~\n@no\n```\n@yes'],
    ['three blanks before', '   ```\n@no\n   ```\n@yes'],
    ['CRLF', '```\r\n@no\r\n```\r\n@yes'],
    ['a quote', '> ```\n> @no\n> ```\n\n@yes'],
    ['a list item', '- ```\n  @no\n  ```\n\n@yes'],
    ['a nested list item', '- a\n  - b\n\n    ```\n    @no\n    ```\n\n@yes'],
    ['no end', '@yes\n```\n@no\n@no'],
  ])('is skipped with %s', (_, text) => expect(findMentions(text)).toEqual(['yes']))

  it('ends only at a line of nothing but its own mark', () => {
    expect(findMentions('```\n``` x\n@no\n```\n@yes')).toEqual(['yes'])
  })

  it('does not start inside a line, nor with backticks in the rest of its line', () => {
    expect(findMentions('say ``` and\n@yes')).toEqual(['yes'])
    expect(findMentions('``` a ``` @yes')).toEqual(['yes'])
  })
})

it('a text of any form gives mentions that could be ids, in time that grows with its length', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('@', 'a', '-', '.', '/', '`', '\n', ' ', '>'), maxLength: 200 }),
      (text) => findMentions(text).every((id) => /^[a-z0-9](?:.*[a-z0-9])?$/i.test(id)),
    ),
    { seed: 7 },
  )
  expect(findMentions(`@a${'-'.repeat(200_000)}`)).toEqual(['a'])
  expect(findMentions('> '.repeat(100_000))).toEqual([])
})

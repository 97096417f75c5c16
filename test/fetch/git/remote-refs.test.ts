import { describe, expect, test } from 'vitest'
import { newestTag, versionTags } from '../../../src/fetch/git/remote-refs.ts'

const tagsOf = (tags: readonly string[], path: string | null = null): readonly string[] =>
  versionTags(tags, path).map(({ tag }) => tag)

describe('tags that name a version', () => {
  test('are v?X.Y.Z, and nothing similar', () => {
    const others = [
      'v1',
      '1.2',
      'v1.2',
      'vv1.2.3',
      'V1.2.3',
      'v01.2.3',
      'release-1.2.3',
      '1.2.3.4',
      '=1.2.3',
      ' 1.2.3',
      'v',
      '',
    ]
    expect(tagsOf([...others, 'v1.2.3', '1.2.4', 'v1.2.5-rc.1', 'v1.2.6+build.1'])).toEqual([
      'v1.2.6+build.1',
      'v1.2.5-rc.1',
      '1.2.4',
      'v1.2.3',
    ])
  })

  test('with a subfolder are also those of its last name, and of no other', () => {
    const tags = [
      'v1.0.0',
      'notes-v1.1.0',
      'notes@1.2.0',
      'notes@v1.3.0',
      'notes-1.4.0',
      'note@9.0.0',
      'my-notes-v9.0.0',
      'x/notes@9.0.0',
    ]
    expect(tagsOf(tags, 'capabilities/notes')).toEqual(['notes@v1.3.0', 'notes@1.2.0', 'notes-v1.1.0', 'v1.0.0'])
    expect(tagsOf(tags)).toEqual(['v1.0.0'])
  })

  test('of one version are sorted independently of the server', () => {
    const tags = ['1.0.0', 'v1.0.0', 'notes@1.0.0']
    expect(tagsOf(tags, 'notes')).toEqual(['notes@1.0.0', 'v1.0.0', '1.0.0'])
    expect(tagsOf(tags.toReversed(), 'notes')).toEqual(['notes@1.0.0', 'v1.0.0', '1.0.0'])
  })
})

test.each([
  [null, 'v1.10.0'],
  ['^1', 'v1.10.0'],
  ['~1.2', 'v1.2.9'],
  ['>=2.0.0-rc.0', 'v2.0.0-rc.1'],
  ['>=1', 'v1.10.0'],
  ['*', 'v1.10.0'],
  ['^3', null],
])('the newest in %s is %s', (range, tag) => {
  const tags = versionTags(['v1.2.0', 'v1.10.0', 'v1.2.9', 'v2.0.0-rc.1'], null)
  expect(newestTag(tags, range)?.tag ?? null).toBe(tag)
})

test('if only prereleases exist, none is the newest stable one', () => {
  expect(newestTag(versionTags(['v1.0.0-rc.1'], null), null)).toBeNull()
})

import { expect, test } from 'vitest'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import { isSameSource } from '../../src/spec/same-source.ts'

const same = (a: string, b: string): boolean => {
  const context = { cwd: '/w', home: '/home/me' }
  return isSameSource(parseSpec(a, context), parseSpec(b, context))
}

test.each([
  ['github:o/r', 'https://github.com/o/r'],
  ['github:o/r', 'https://github.com/O/R.git#v2'],
  ['github:o/r', 'git@github.com:o/r.git'],
  ['github:o/r', 'ssh://git@github.com/o/r'],
  ['gitlab:g/s/r#main', 'git@gitlab.com:g/s/r.git#semver:^1'],
  ['bitbucket:o/r', 'https://alice@bitbucket.org/o/r.git'],
  ['github:o/r#v1&path:a', 'github:o/r#main&path:a'],
  ['https://git.example.org/x.git', 'https://alice@git.example.org/x.git/#v1'],
  ['git+https://git.example.org/x', 'https://git.example.org/x.git'],
  ['npm:@org/cap@1.0.0', 'npm:@org/cap@next'],
  ['notes@team', 'notes@^1@team'],
  ['./dir', '/w/dir'],
  ['./x.tgz', 'file:///w/x.tgz'],
  ['https://dl.example.org/x.tgz?token=a&v=1', 'https://dl.example.org/x.tgz?v=1&token=b'],
])('%s and %s are one source', (a, b) => {
  expect(same(a, b)).toBe(true)
  expect(same(b, a)).toBe(true)
})

test.each([
  ['github:o/r', 'gitlab:o/r'],
  ['github:o/r', 'github:o/r2'],
  ['github:o/r', 'github:o/r#path:a'],
  ['github:o/r#path:a', 'github:o/r#path:b'],
  ['https://git.example.org/x.git', 'ssh://git@git.example.org/x.git'],
  ['https://git.example.org/x.git', 'https://git.example.org/X.git'],
  ['https://git.example.org/x.git', 'https://git.example.org:8443/x.git'],
  ['github:o/r', 'https://github.com.example/o/r.git'],
  ['github:o/r', 'git+https://github.com:8443/o/r'],
  ['npm:cap', 'npm:@org/cap'],
  ['notes@team', 'notes@other'],
  ['notes@team', 'tasks@team'],
  ['./dir', './dir2'],
  ['./x.tgz', './x.tgz/'],
  ['https://dl.example.org/x.tgz', 'https://dl.example.org/x.tgz?v=2'],
])('%s and %s are two sources', (a, b) => {
  expect(same(a, b)).toBe(false)
  expect(same(b, a)).toBe(false)
})

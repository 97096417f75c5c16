import { expect, test } from 'vitest'
import { formatSpecForLedger } from '../../src/spec/format-spec.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'

const record = (text: string, root = '/w/project'): string =>
  formatSpecForLedger(parseSpec(text, { cwd: '/w/here', home: '/home/me' }), root)

test.each([
  ['./dir', '../here/dir'],
  ['/w/project/caps/notes', './caps/notes'],
  ['/w/project', '.'],
  ['/w', '..'],
  ['/', '../..'],
  ['~/dir', '../../home/me/dir'],
  ['/w/project/x.tgz', './x.tgz'],
  ['/w/project/x.tgz/', './x.tgz/'],
  ['/w/x.tgz/', '../x.tgz/'],
  ['/w/project/..dir', './..dir'],
  ['/w/project/-rf', './-rf'],
  ['file:///w/a%20b', '../a b'],
])('%s is recorded as %s', (text, recorded) => {
  expect(record(text)).toBe(recorded)
  expect(parseSpec(recorded, { cwd: '/w/project', home: '/nobody' })).toEqual(
    parseSpec(text, { cwd: '/w/here', home: '/home/me' }),
  )
})

test('a spec that is not a path is recorded in its one form', () => {
  expect(record('github:o/r#v1&path:a')).toBe('https://github.com/o/r.git#v1&path:a')
  expect(record('npm:cap@v1.0.0')).toBe('npm:cap@1.0.0')
  expect(record('notes@^1@team')).toBe('notes@^1@team')
})

test.each([
  ['https://dl.example.org/x.tgz?v=1&token=abc', 'https://dl.example.org/x.tgz?v=1'],
  [
    'https://dl.example.org/x.tgz?X-Amz-Signature=abc&X-Amz-Credential=d&X-Amz-Expires=60',
    'https://dl.example.org/x.tgz?X-Amz-Expires=60',
  ],
  ['https://dl.example.org/x.tgz?sv=2024&sig=abc', 'https://dl.example.org/x.tgz?sv=2024'],
  ['https://dl.example.org/x.tgz?private%5Ftoken=abc', 'https://dl.example.org/x.tgz'],
  ['https://dl.example.org/x.tgz?api_key=abc&clientSecret=d&a=%zz&%zz=b', 'https://dl.example.org/x.tgz?a=%zz&%zz=b'],
  [
    'https://dl.example.org/x.tgz?signed=1&tokens=2&keyboard=3',
    'https://dl.example.org/x.tgz?signed=1&tokens=2&keyboard=3',
  ],
])('%s is written to the ledger as %s', (text, recorded) => {
  expect(record(text)).toBe(recorded)
})

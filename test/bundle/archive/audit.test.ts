import { expect, test } from 'vitest'
import { auditEntries, type AuditResult } from '../../../src/bundle/archive/audit.ts'
import type { SourceEntry } from '../../../src/bundle/bundle.ts'

const MIB = 1024 * 1024
const file = (path: string, size = 1): SourceEntry => ({ path, type: 'file', size, executable: false })
const folder = (path: string): SourceEntry => ({ path, type: 'directory', size: 0, executable: false })

const accepted = (entries: readonly SourceEntry[], packed: number | null = null) => {
  const audit = auditEntries(entries, packed)
  if (!audit.ok) throw audit.error
  return audit
}
const ruleOf = (audit: AuditResult): unknown => (audit.ok ? null : (audit.error.details as { rule: string }).rule)

test.each([
  'capability.json',
  'a -> b.md',
  '...md',
  '.hidden/.file',
  'a..b/c..md',
  '-rf',
  'a b/c d.md',
  'ab:c.md',
  'aux-notes.md',
  'console.md',
  'com10',
  'lpt',
  'nullable/nul-l.md',
  '\u65e5\u672c\u8a9e/\u0639\u0631\u0628\u064a.md',
  '\u{1f468}\u200d\u{1f4bb}.md',
  'a\ufffdb.md',
  '~',
  '$HOME',
  'it\'s "quoted".md',
  '%2e%2e/x',
  '\uff0e\uff0e/x',
  'C/:/x',
])('%j is an ordinary path', (path) => {
  expect(accepted([file(path)]).files.map((one) => one.path)).toEqual([path])
})

test('one leading "./" is dropped from files and folders', () => {
  const { files, folders } = accepted([folder('./'), folder('./docs/'), file('./docs/a.md')])
  expect(files.map((one) => one.path)).toEqual(['docs/a.md'])
  expect(folders).toEqual(['docs'])
})

test('the root folder may be listed as "." or "./"', () => {
  expect(accepted([folder('.'), folder('./'), file('a')]).folders).toEqual([])
})

test('a folder may be listed twice, with and without a slash, before and after its contents', () => {
  expect(accepted([folder('a/'), file('a/b'), folder('a'), folder('./a/')]).files).toHaveLength(1)
})

test('names that differ by more than case and Unicode normal form can coexist', () => {
  expect(
    accepted([file('e.md'), file('\u00e9.md'), file('a.md'), file('a-.md'), file('\u03b1.md')]).files,
  ).toHaveLength(5)
})

test('the executable bit and the size of a file are kept', () => {
  expect(accepted([{ ...file('run.sh', 7), executable: true }]).files).toEqual([
    { path: 'run.sh', size: 7, executable: true },
  ])
})

test('.git, node_modules and .DS_Store are excluded at any depth and in any case', () => {
  const { files, excluded } = accepted([
    file('a.md'),
    folder('.git/'),
    file('.git/config'),
    file('hooks/node_modules/x/index.js'),
    file('docs/.DS_Store'),
    file('sub/.GIT/hooks/post-checkout'),
    file('sub/.g\u200cit/config'),
    file('Node_Modules/y.js'),
  ])
  expect(files.map((one) => one.path)).toEqual(['a.md'])
  expect(excluded).toEqual(['.git', 'node_modules', '.DS_Store'])
})

test('names that resemble an excluded name are kept', () => {
  const names = ['.gitignore', '.github/x.yml', 'node_modules.md', 'x.git', 'DS_Store', '.git2/x']
  expect(accepted(names.map((name) => file(name))).files).toHaveLength(names.length)
})

test('links inside an excluded folder are ignored', () => {
  const link = { ...file('node_modules/.bin/tsc'), type: 'symlink' } as const
  expect(accepted([file('a'), link, { ...link, path: 'node_modules' }]).files).toHaveLength(1)
})

test('a path that climbs out through an excluded folder is refused', () => {
  expect(ruleOf(auditEntries([file('node_modules/../../evil')], null))).toBe('parent-segment')
})

test('a path of 1,024 bytes and a segment of 255 bytes pass', () => {
  const long = `${'abcdefghijklmno/'.repeat(63)}abcdefghijklmnop`
  expect(Buffer.byteLength(long)).toBe(1024)
  expect(accepted([file(long), file('a'.repeat(255)), file('\u4e00'.repeat(85))]).files).toHaveLength(3)
})

test('a size at the limit passes and one byte more does not', () => {
  expect(
    accepted([file('a', 64 * MIB), file('b', 64 * MIB), file('c', 64 * MIB), file('d', 64 * MIB)]).unpackedBytes,
  ).toBe(256 * MIB)
  expect(ruleOf(auditEntries([file('a', 64 * MIB + 1)], null))).toBe('file')
  const over = [file('a', 64 * MIB), file('b', 64 * MIB), file('c', 64 * MIB), file('d', 64 * MIB), file('e', 1)]
  expect(ruleOf(auditEntries(over, null))).toBe('unpacked')
})

test.each([-1, 0.5, Number.NaN, Infinity, 2 ** 60])('a size of %j is refused', (size) => {
  expect(ruleOf(auditEntries([file('a', size)], null))).toBe('file')
})

test('excluded files count towards the total size', () => {
  const big = Array.from({ length: 5 }, (_, at) => file(`node_modules/${at}`, 64 * MIB))
  expect(ruleOf(auditEntries(big, null))).toBe('unpacked')
})

test('the ratio is checked above 16 MiB only, and 200 is still allowed', () => {
  expect(ruleOf(auditEntries([file('a', 16 * MIB)], 1))).toBeNull()
  expect(ruleOf(auditEntries([file('a', 16 * MIB + 1)], 1))).toBe('ratio')
  expect(ruleOf(auditEntries([file('a', 20 * MIB)], (20 * MIB) / 200))).toBeNull()
  expect(ruleOf(auditEntries([file('a', 20 * MIB)], (20 * MIB) / 200 - 1))).toBe('ratio')
})

test('a folder has no ratio', () => {
  expect(ruleOf(auditEntries([file('a', 64 * MIB)], null))).toBeNull()
})

test('a lone surrogate in a path is refused', () => {
  expect(ruleOf(auditEntries([file('a\ud800b')], null))).toBe('not-unicode')
})

test('sockets and other kinds are refused by their type', () => {
  expect(ruleOf(auditEntries([{ ...file('s'), type: 'socket' }], null))).toBe('socket')
  expect(ruleOf(auditEntries([{ ...file('o'), type: 'other' }], null))).toBe('unknown-type')
})

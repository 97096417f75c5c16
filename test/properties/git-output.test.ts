import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { objectReader, type ObjectType } from '../../src/fetch/git/object-reader.ts'
import { parseTreeObject } from '../../src/fetch/git/parse-object.ts'
import { parseTreeList } from '../../src/fetch/git/read-objects.ts'
import { fc } from '../helpers/property.ts'
import { thrownBy } from '../helpers/thrown.ts'

const OID = '0123456789abcdef0123456789abcdef01234567'
const NO_SINK = { begin: () => {}, data: () => {}, end: () => {} }

const oidOf = (type: ObjectType, content: Uint8Array): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex')
const printed = (type: ObjectType, content: Uint8Array, oid = oidOf(type, content)): Buffer =>
  Buffer.concat([Buffer.from(`${oid} ${type} ${content.length}\n`), Buffer.from(content), Buffer.from('\n')])
const wantedOf = (content: Uint8Array, size: number | null = content.length) =>
  ({ name: oidOf('blob', content), type: 'blob', size }) as const

/** Splits bytes into pieces as a pipe may. */
const pieces = (bytes: Buffer, cuts: readonly number[]): readonly Buffer[] => {
  const at = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b)
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

test('contents are read as they were written, however a pipe splits them', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }),
      fc.array(fc.nat(5000)),
      (contents, cuts) => {
        const output = Buffer.concat(contents.map((content) => printed('blob', content)))
        const read: Buffer[] = []
        const reader = objectReader(
          contents.map((content) => wantedOf(content)),
          {
            begin: (index) => void expect(index).toBe(read.push(Buffer.alloc(0)) - 1),
            data: (chunk) => void read.push(Buffer.concat([read.pop() ?? Buffer.alloc(0), chunk])),
            end: () => {},
          },
        )
        for (const piece of pieces(output, cuts)) reader.write(piece)
        reader.finish()
        expect(read).toEqual(contents.map((content) => Buffer.from(content)))
      },
    ),
    { numRuns: 300 },
  )
})

test('any changed byte of an object, or another type for it, is refused', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 100 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (content, at, by) => {
        const changed = Uint8Array.from(content)
        changed[at % content.length] = (changed[at % content.length] ?? 0) ^ by
        const oid = oidOf('blob', content)
        const wanted = { name: oid, type: null, size: null }
        for (const output of [printed('blob', changed, oid), printed('tree', content, oid)])
          expect(thrownBy(() => objectReader([wanted], NO_SINK).write(output)).code).toBe('INTEGRITY_GIT_OBJECT')
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  [`${OID} missing\n`, 'INTEGRITY_GIT_OBJECT'],
  [`${OID} tree 12\n`, 'INTEGRITY_GIT_OBJECT'],
  [`${OID} blob 9\n`, 'INTEGRITY_GIT_OBJECT'],
  [`${OID.replace('0', '1')} blob 12\n`, 'FETCH_GIT'],
  ['nonsense\n', 'FETCH_GIT'],
  ['x'.repeat(10_000), 'FETCH_GIT'],
])('%j in place of a content is refused as %s', (text, code) => {
  const reader = objectReader([{ name: OID, type: 'blob', size: 12 }], NO_SINK)
  expect(thrownBy(() => reader.write(Buffer.from(text))).code).toBe(code)
})

test('output that ends before the last object is refused', () => {
  const content = Buffer.from('abc')
  const reader = objectReader([wantedOf(content)], NO_SINK)
  reader.write(printed('blob', content).subarray(0, 45))
  expect(thrownBy(() => reader.finish()).code).toBe('INTEGRITY_GIT_OBJECT')
})

const MODES = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'symlink',
  '160000': 'submodule',
  '40000': 'tree',
} as const
const entryBytes = (mode: string, name: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${mode} `), name, Buffer.of(0), Buffer.from(OID, 'hex')])

test('the entries of a tree are read as they were written, and each truncation is refused', () => {
  const name = fc
    .uint8Array({ minLength: 1, maxLength: 30 })
    .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f || byte === 0x2e ? 0x41 : byte))))
  const entry = fc.record({ name, mode: fc.constantFrom(...(Object.keys(MODES) as (keyof typeof MODES)[])) })
  const entries = fc.uniqueArray(entry, { maxLength: 10, selector: (each) => each.name.toString('latin1') })
  fc.assert(
    fc.property(entries, fc.nat(), (all, cut) => {
      const parts = all.map((each) => entryBytes(each.mode, each.name))
      const content = Buffer.concat(parts)
      expect(parseTreeObject('x', OID, content)).toEqual(
        all.map(({ name: bytes, mode }) => ({
          name: bytes.toString('utf8'),
          isUtf8: Buffer.from(bytes.toString('utf8')).equals(bytes),
          kind: MODES[mode],
          executable: mode === '100755',
          oid: OID,
        })),
      )
      const length = cut % (content.length + 1)
      const ends = parts.map((_, at) => Buffer.concat(parts.slice(0, at + 1)).length)
      if (length === 0 || ends.includes(length)) return
      expect(thrownBy(() => parseTreeObject('x', OID, content.subarray(0, length))).code).toBe('INTEGRITY_GIT_OBJECT')
    }),
    { numRuns: 300 },
  )
})

test.each(['', '.', '..', 'a/b', '/a', 'a/', '.git', '.GIT', 'git~1', '.git ', '.git.', '.g\u200cit', '.git::$INDEX'])(
  'the entry %j of a tree is refused',
  (name) => {
    for (const mode of Object.keys(MODES))
      expect(thrownBy(() => parseTreeObject('x', OID, entryBytes(mode, Buffer.from(name)))).code).toBe('ARCHIVE_UNSAFE')
  },
)

test('a name that occurs twice in a tree is refused, for any types', () => {
  for (const first of Object.keys(MODES))
    for (const second of Object.keys(MODES)) {
      const content = Buffer.concat([entryBytes(first, Buffer.from('a')), entryBytes(second, Buffer.from('a'))])
      expect(thrownBy(() => parseTreeObject('x', OID, content)).code).toBe('ARCHIVE_UNSAFE')
    }
})

test.each(['', '0', '644', '100000', '100777', '140000', '0100644', '1006444', '10064x', '-100644'])(
  'the mode %j of an entry is refused',
  (mode) => {
    expect(thrownBy(() => parseTreeObject('x', OID, entryBytes(mode, Buffer.from('a')))).code).toBe(
      'INTEGRITY_GIT_OBJECT',
    )
  },
)

test('the list of a tree gives the ids of its folders and the sizes of its files', () => {
  const list = `040000 tree ${OID}       -\tsub dir\u0000100644 blob ${OID.replace('0', 'f')}      12\ta\tb\n\u0000160000 commit ${OID}       -\tm\u0000`
  expect(parseTreeList(Buffer.from(list))).toEqual({ treeIds: [OID], sizes: new Map([[OID.replace('0', 'f'), 12]]) })
  expect(parseTreeList(Buffer.from(list.replaceAll(/ +-\t/g, '\t'))).treeIds).toEqual([OID])
})

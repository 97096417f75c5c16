import { expect, test } from 'vitest'
import { blobReader } from '../../src/fetch/git/blob-reader.ts'
import { parseTree } from '../../src/fetch/git/git-tree.ts'
import { fc } from '../helpers/property.ts'
import { thrownBy } from '../helpers/thrown.ts'

const OID = '0123456789abcdef0123456789abcdef01234567'

/** Cuts bytes into pieces as a pipe may. */
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
        const printed = Buffer.concat(
          contents.flatMap((content) => [
            Buffer.from(`${OID} blob ${content.length}\n`),
            Buffer.from(content),
            Buffer.from('\n'),
          ]),
        )
        const read: Buffer[] = []
        const reader = blobReader({
          begin: (index) => void expect(index).toBe(read.push(Buffer.alloc(0)) - 1),
          data: (chunk) => void read.push(Buffer.concat([read.pop() ?? Buffer.alloc(0), chunk])),
          end: () => {},
        })
        for (const piece of pieces(printed, cuts)) reader.write(piece)
        expect(reader.count()).toBe(contents.length)
        expect(read).toEqual(contents.map((content) => Buffer.from(content)))
      },
    ),
    { numRuns: 300 },
  )
})

test.each([`${OID} missing\n`, `${OID} tree 12\n`, 'nonsense\n'])('%s in place of content is refused', (text) => {
  const reader = blobReader({ begin: () => {}, data: () => {}, end: () => {} })
  expect(thrownBy(() => reader.write(Buffer.from(text))).code).toBe('FETCH_GIT')
})

test('the entries of a tree are read as they were written, whatever their names', () => {
  const name = fc
    .uint8Array({ minLength: 1, maxLength: 30 })
    .map((bytes) => Buffer.from(bytes.map((byte) => byte || 0x41)))
  const entry = fc.record({ name, mode: fc.constantFrom('100644', '100755', '120000'), size: fc.nat() })
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 10 }), fc.boolean(), (entries, sizes) => {
      const printed = Buffer.concat(
        entries.flatMap(({ name: bytes, mode, size }) => [
          Buffer.from(`${mode} blob ${OID}${sizes ? ` ${String(size).padStart(7)}` : ''}\t`),
          bytes,
          Buffer.from([0]),
        ]),
      )
      expect(parseTree(printed).blobs).toEqual(
        entries.map(({ name: bytes, mode, size }) => ({
          path: bytes.toString('utf8'),
          isUtf8: Buffer.from(bytes.toString('utf8')).equals(bytes),
          type: mode === '120000' ? 'symlink' : 'file',
          executable: mode === '100755',
          oid: OID,
          size: sizes ? size : null,
        })),
      )
    }),
    { numRuns: 300 },
  )
})

import { expect, test } from 'vitest'
import { createCheckedReader } from '../../../src/bundle/archive/checked-reader.ts'
import type { SourceEntry } from '../../../src/bundle/bundle.ts'
import { createTarFormat } from '../../../src/bundle/pack/tar-format.ts'

const format = await createTarFormat()

const readBack = async (path: string): Promise<SourceEntry | undefined> => {
  const seen: SourceEntry[] = []
  const reader = await createCheckedReader({
    entry: (entry) => void seen.push(entry),
    data() {},
    end() {},
    countOverhead() {},
  })
  const content = Buffer.from('x')
  for (const part of [format.header({ path, size: 1, executable: true }), content, format.padding(1), format.end])
    reader.write(part)
  reader.finish()
  return seen[0]
}

test('a path of any length is read back by both readers, in ASCII and in other scripts', async () => {
  for (let length = 1; length <= 1024; length++) {
    for (const unit of ['abcdefg/', 'a\u00e9/', 'x', '\u{1f600}']) {
      const path =
        unit
          .repeat(length)
          .slice(0, length - 1)
          .replace(/[\ud800-\udbff]$/, '') + 'z'
      expect(await readBack(path), path).toEqual({ path, type: 'file', size: 1, executable: true })
    }
  }
})

test('padding fills the last block and no more', () => {
  expect([0, 1, 511, 512, 513].map((size) => format.padding(size).length)).toEqual([0, 511, 1, 0, 511])
})

import { expect, test } from 'vitest'
import { tarPadding, TAR_END, formatTarHeader } from '../../../src/bundle/archive/format-tar-header.ts'
import { createTarReader } from '../../../src/bundle/archive/tar-reader.ts'
import type { SourceEntry } from '../../../src/bundle/bundle.ts'

const readBack = (path: string): SourceEntry | undefined => {
  const seen: SourceEntry[] = []
  const reader = createTarReader({ entry: (entry) => void seen.push(entry), data() {}, end() {}, countOverhead() {} })
  const content = Buffer.from('x')
  for (const part of [formatTarHeader({ path, size: 1, executable: true }), content, tarPadding(1), TAR_END])
    reader.write(part)
  reader.finish()
  return seen[0]
}

test('a path of any length comes back, in ASCII and in other letters', () => {
  for (let length = 1; length <= 1024; length++) {
    for (const unit of ['abcdefg/', 'a\u00e9/', 'x']) {
      const path = unit.repeat(length).slice(0, length - 1) + 'z'
      expect(readBack(path), path).toEqual({ path, type: 'file', size: 1, executable: true })
    }
  }
})

test('padding fills the last block and no more', () => {
  expect([0, 1, 511, 512, 513].map((size) => tarPadding(size).length)).toEqual([0, 511, 1, 0, 511])
})

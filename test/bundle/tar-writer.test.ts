import { expect, test } from 'vitest'
import type { Entry } from '../../src/bundle/bundle.ts'
import { tarReader } from '../../src/bundle/tar-reader.ts'
import { padding, TAR_END, tarHeader } from '../../src/bundle/tar-writer.ts'

const readBack = (path: string): Entry | undefined => {
  const seen: Entry[] = []
  const reader = tarReader({ entry: (entry) => void seen.push(entry), data() {}, end() {}, overhead() {} })
  const content = Buffer.from('x')
  for (const part of [tarHeader({ path, size: 1, executable: true }), content, padding(1), TAR_END]) reader.write(part)
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
  expect([0, 1, 511, 512, 513].map((size) => padding(size).length)).toEqual([0, 511, 1, 0, 511])
})

import { describe, expect, test } from 'vitest'
import { createFileHash } from '../../src/bundle/file-hash.ts'

const firstLineOf = (...chunks: readonly string[]) => {
  const hash = createFileHash({ path: 'run', size: 0, executable: false })
  for (const chunk of chunks) hash.update(Buffer.from(chunk))
  const { shebang, crlf } = hash.result()
  return { shebang, crlf }
}

describe('the first line of a file', () => {
  test.each([
    [['#!/bin/sh\n'], true, undefined],
    [['#!/bin/sh\r\n'], true, true],
    [['#', '!/bin/sh', '\r', '\n'], true, true],
    [['#!/bin/sh\necho\r\n'], true, undefined],
    [['#!/bin/sh\r'], true, undefined],
    [[`#!${'x'.repeat(600)}\r\n`], true, undefined],
    [['#'], false, undefined],
    [['echo\r\n', '#!/bin/sh\r\n'], false, undefined],
    [[], false, undefined],
  ] as const)('%j: shebang %s, line end of another system %s', (chunks, shebang, crlf) => {
    expect(firstLineOf(...chunks)).toEqual({ shebang, crlf })
  })
})

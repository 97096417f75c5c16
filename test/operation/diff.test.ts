import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { diff, type DiffRequest } from '../../src/operation/diff.ts'
import { info } from '../../src/operation/info.ts'
import { installIn, updateIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const diffIn = (first: string, second: string | null = null, request: Partial<DiffRequest> = {}) =>
  diff(scratch.testContext().context, { first, second, scope: 'global', allowHttp: false, ...request })

const FILES = { 'a.txt': 'one\ntwo\n', 'b.bin': Buffer.from([0, 255, 2]), 'gone.md': 'x\n', 'tool.sh': 'echo\n' }
const NEXT = { 'a.txt': 'one\nTWO\n', 'b.bin': Buffer.from([0, 255, 3]), 'new.md': 'y\n', 'tool.sh': 'echo\n' }

const EXPECTED = [
  { path: 'a.txt', change: 'changed', binary: false, added: 1, removed: 1, lines: ['2'] },
  { path: 'b.bin', change: 'changed', binary: true, text: '' },
  { path: 'gone.md', change: 'removed', removed: 1 },
  { path: 'new.md', change: 'added', added: 1 },
  { path: 'tool.sh', change: 'changed', mode: { before: '-', after: 'x' } },
]

const writeNext = (): string => {
  const bundle = scratch.bundle('guard', { files: NEXT })
  chmodSync(`${bundle}/tool.sh`, 0o755)
  return bundle
}

describe('diff', () => {
  test('of an installed capability shows what update would bring, and writes nothing', async () => {
    await installIn(scratch.testContext().context, scratch.bundle('guard', { files: FILES }))
    writeNext()
    const before = scratch.tree()
    const { files } = await diffIn('guard')
    expect(files).toMatchObject(EXPECTED)
    expect(files[0]?.text).toContain('-two\n+TWO\n')
    scratch.expectTree(before)
    await updateIn(scratch.testContext().context, 'guard')
    expect((await diffIn('guard')).files).toEqual([])
  })

  test('compares it with a spec, and two folders with each other', async () => {
    const old = scratch.bundle('guard', { files: FILES, to: 'old' })
    await installIn(scratch.testContext().context, old)
    const next = writeNext()
    expect((await diffIn('guard', next)).files).toMatchObject(EXPECTED)
    expect((await diffIn(old, next)).files).toMatchObject(EXPECTED)
  })

  test('of a capability that is not installed is refused', async () => {
    expect(await scratch.refused(() => diffIn('guard'))).toMatchObject({ code: 'STATE_NOT_INSTALLED' })
  })

  test('names a file that is too large or too different to compare', async () => {
    const lines = (word: string): string => Array.from({ length: 9000 }, (_, at) => `${word} ${at}`).join('\n')
    const old = scratch.bundle('guard', { files: { 'a.txt': lines('a'), 'b.txt': 'b'.repeat(600_000) }, to: 'old' })
    const next = scratch.bundle('guard', { files: { 'a.txt': lines('b'), 'b.txt': 'c'.repeat(600_000) } })
    const { files } = await diffIn(old, next)
    expect(files.map(({ path, binary, text }) => [path, binary, text])).toEqual([
      ['a.txt', true, ''],
      ['b.txt', true, ''],
    ])
  })
})

describe('off a terminal', () => {
  test('info with files gives the text of every file', async () => {
    const bundle = scratch.bundle('guard', { files: FILES })
    const { details } = await info(scratch.testContext().context, { target: bundle, scope: null, files: true })
    expect(details[0]?.texts).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ path: 'a.txt', change: 'none', text: 'one\ntwo\n' }),
        expect.objectContaining({ path: 'b.bin', binary: true }),
      ]),
    )
  })

  test('a dry run gives the text of what runs, and of an update the difference', async () => {
    const bundle = scratch.bundle('guard', { files: FILES })
    const { plan } = await installIn(scratch.testContext().context, bundle, { dryRun: true })
    expect(plan?.code).toMatchObject([{ id: 'guard', files: [{ path: 'hooks/run.sh', change: 'none' }] }])
    await installIn(scratch.testContext().context, bundle)
    scratch.bundle('guard', { files: { ...FILES, 'hooks/run.sh': '#!/bin/sh\nother\n', 'a.txt': 'one\n3\n' } })
    const world = scratch.testContext()
    const next = await updateIn(world.context, 'guard', { dryRun: true })
    expect(next.plan?.code).toMatchObject([{ files: [{ path: 'hooks/run.sh', change: 'changed' }] }])
    expect(next.plan?.code?.[0]?.files[0]?.text).toContain('+other\n')
    expect(next.updated).toMatchObject([{ prose: ['a.txt'] }])
    expect(JSON.stringify(world.reports)).toContain('line 2 (+1 −1)')
  })
})

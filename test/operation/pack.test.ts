import { cpSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { pack } from '../../src/operation/pack.ts'
import { validate } from '../../src/operation/validate.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const FILES = { 'README.md': '# Guard\n', 'skills/x/SKILL.md': 'One.\n', 'no mode/d\u00e9j\u00e0 vu.txt': 'x' }

const packed = (dir: string, out = 'guard.tgz', writeIntegrity = false) =>
  pack(scratch.testContext().context, { dir, out: scratch.path(out), writeIntegrity })

describe('a packed archive', () => {
  test('installs with the printed integrity, and has the digest of the folder', async () => {
    const bundle = scratch.bundle('guard', { files: FILES })
    const { file, integrity, digest, files } = await packed(bundle)
    expect(files).toBe(5)
    const [fromArchive] = (await scratch.install(file, { integrity })).installed
    expect(fromArchive).toMatchObject({ digest, resolved: { kind: 'tarball' } })
    const [fromFolder] = (await scratch.install(bundle, { scope: 'project' })).installed
    expect(fromFolder).toMatchObject({ digest, resolved: { kind: 'local' } })
    for (const path of Object.keys(FILES))
      expect(scratch.text(`home/.gsd/capabilities/guard/${path}`)).toBe(scratch.text(`bundles/guard/${path}`))
  })

  test('has the same bytes from any copy of the folder', async () => {
    const bundle = scratch.bundle('guard', { files: FILES })
    cpSync(bundle, scratch.path('copy'), { recursive: true })
    const [one, two] = [await packed(bundle, 'one.tgz'), await packed(scratch.path('copy'), 'two.tgz')]
    expect(readFileSync(one.file)).toEqual(readFileSync(two.file))
    expect(one.integrity).toBe(two.integrity)
  })

  test('omits excluded files, with a note', async () => {
    const bundle = scratch.bundle('guard', {
      files: { ...FILES, '.git/config': 'x', 'node_modules/a/index.js': 'x', '.DS_Store': 'x', 'a/.DS_Store': 'x' },
    })
    const { files, warnings } = await packed(bundle)
    expect(files).toBe(5)
    expect(warnings).toMatchObject([{ code: 'ARCHIVE_LEFT_OUT', message: expect.stringContaining('node_modules') }])
  })

  test('that an install would refuse is reported as such', async () => {
    for (const manifest of [{ version: 'new' }, { hooks: [{ event: 'Stop', script: 'none.sh' }] }]) {
      const { file, warnings } = await packed(scratch.bundle('guard', { manifest }))
      expect(warnings).toMatchObject([
        { code: 'MANIFEST_INVALID', severity: 'warning', hint: expect.stringContaining('validate') },
      ])
      expect((await scratch.refused(() => scratch.install(file))).code).toBe('MANIFEST_INVALID')
    }
  })
})

describe('--write-integrity', () => {
  test('writes the digest into the manifest only; folder and archive install with it', async () => {
    const bundle = scratch.bundle('guard', { files: FILES })
    const before = scratch.text('bundles/guard/capability.json')
    const { file, integrity, digest } = await packed(bundle, 'guard.tgz', true)
    const after = scratch.text('bundles/guard/capability.json')
    expect(JSON.parse(after)).toEqual({ ...(JSON.parse(before) as object), integrity: digest })
    expect(
      (await validate(scratch.testContext().context, [bundle, file])).files.map(({ diagnostics }) => diagnostics),
    ).toEqual([[], expect.any(Array)])
    expect((await scratch.install(file, { integrity })).installed).toMatchObject([{ digest }])
    expect((await scratch.install(bundle, { scope: 'project' })).installed).toMatchObject([{ digest }])
    expect((await packed(bundle, 'again.tgz', true)).integrity).toBe(integrity)
  })

  test.each([
    ['a changed script', { 'hooks/run.sh': '#!/bin/sh\nexit 1\n' }],
    ['a changed text', { 'README.md': '# Other\n' }],
    ['one more file', { 'more.md': 'x' }],
  ])('binds the folder and any archive of it to that: %s is refused', async (_what, changed) => {
    const bundle = scratch.bundle('guard', { files: FILES })
    await packed(bundle, 'guard.tgz', true)
    for (const [path, content] of Object.entries(changed)) scratch.put(`bundles/guard/${path}`, content)
    expect(await scratch.refused(() => scratch.install(bundle))).toMatchObject({
      code: 'INTEGRITY_DIGEST_MISMATCH',
      exitStatus: 3,
    })
    const { file, integrity, warnings } = await packed(bundle, 'tampered.tgz')
    expect(warnings).toMatchObject([{ code: 'INTEGRITY_DIGEST_MISMATCH' }])
    expect(await scratch.refused(() => scratch.install(file, { integrity }))).toMatchObject({
      code: 'INTEGRITY_DIGEST_MISMATCH',
    })
  })

  test('refuses an archive in which a byte was changed', async () => {
    const bundle = scratch.bundle('guard', { files: FILES })
    const { file, integrity } = await packed(bundle)
    const bytes = readFileSync(file)
    bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1
    scratch.put('guard.tgz', bytes)
    expect(await scratch.refused(() => scratch.install(file, { integrity }))).toMatchObject({
      code: 'INTEGRITY_MISMATCH',
    })
  })
})

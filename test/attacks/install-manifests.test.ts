import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../src/diagnostic.ts'
import { validate } from '../../src/operation/validate.ts'
import { bundleFiles, useScratch } from '../helpers/scratch.ts'
import { tgz } from '../helpers/tar.ts'

const scratch = useScratch()
const CLAUDE = { runtimes: ['claude'] } as const
const GOOD = bundleFiles('guard')['capability.json'] ?? ''

/** A bundle folder with these bytes as manifest. */
const withManifest = (content: string | Buffer): string =>
  scratch.bundle('guard', { files: { 'capability.json': content } })

const findingsOf = (details: unknown): readonly Diagnostic[] =>
  (details as { readonly diagnostics: readonly Diagnostic[] }).diagnostics

describe('a manifest that cannot be read is refused with its position, and nothing changes', () => {
  const BROKEN: readonly (readonly [
    string,
    string | Buffer,
    string,
    { line?: number; column?: number; path?: string },
  ])[] = [
    ['of 50 MB', Buffer.alloc(50_000_000, ' '), 'MANIFEST_TOO_LARGE', {}],
    ['of one byte more than 1 MiB', GOOD + ' '.repeat(1024 * 1024 + 1 - GOOD.length), 'MANIFEST_TOO_LARGE', {}],
    ['that is not UTF-8', Buffer.from(GOOD.replace('Guard', 'Gu\u00e4rd'), 'latin1'), 'MANIFEST_ENCODING', { line: 5 }],
    ['in UTF-16', Buffer.from(`\ufeff${GOOD}`, 'utf16le'), 'MANIFEST_ENCODING', { line: 1 }],
    ['that is empty', '', 'MANIFEST_SYNTAX', {}],
    ['with a trailing comma', GOOD.replace(/\n\}\n$/, ',\n}\n'), 'MANIFEST_SYNTAX', {}],
    ['with a comment', `// mine\n${GOOD}`, 'MANIFEST_SYNTAX', { line: 1, column: 1 }],
    ['cut off', GOOD.slice(0, 100), 'MANIFEST_SYNTAX', {}],
    ['with two values', `${GOOD}{}`, 'MANIFEST_SYNTAX', {}],
    [
      'with a key twice',
      GOOD.replace('"role"', '"id": "other", "role"'),
      'MANIFEST_DUPLICATE_KEY',
      { line: 3, column: 3 },
    ],
    [
      'with a key twice, once in escapes',
      GOOD.replace('"role"', '"\\u0069d": "other", "role"'),
      'MANIFEST_DUPLICATE_KEY',
      { line: 3, column: 3 },
    ],
    [
      'with __proto__',
      GOOD.replace('"role"', '"__proto__": {"id": "other"}, "role"'),
      'MANIFEST_FORBIDDEN_KEY',
      { line: 3 },
    ],
    [
      'with constructor in its config',
      GOOD.replace('"config": {', '"config": {"constructor": {}'),
      'MANIFEST_FORBIDDEN_KEY',
      {},
    ],
    [
      'nested too deep',
      GOOD.replace('"role"', `"x-deep": ${'['.repeat(70)}${']'.repeat(70)}, "role"`),
      'MANIFEST_TOO_DEEP',
      {},
    ],
    ['that is an array', '[]', 'MANIFEST_NOT_AN_OBJECT', {}],
    ['that is null', 'null', 'MANIFEST_NOT_AN_OBJECT', {}],
  ]

  test.each(BROKEN)('%s', async (_what, content, code, replaceManifest) => {
    const bundle = withManifest(content)
    const error = await scratch.refused(() => scratch.install(bundle, CLAUDE))
    expect(error).toMatchObject({ code: 'MANIFEST_INVALID', exitStatus: 3 })
    expect(findingsOf(error.details)).toContainEqual(
      expect.objectContaining({ code, severity: 'error', ...replaceManifest, message: expect.stringMatching(/./) }),
    )
  })

  // An archive of 50 MB of blanks is refused as a bomb.
  test.each(BROKEN.slice(1))('%s, in an archive', async (_what, content, code) => {
    const file = scratch.put('guard.tgz', tgz({ path: 'capability.json', body: content }))
    const error = await scratch.refused(() => scratch.install(file, CLAUDE))
    expect(findingsOf(error.details).map((finding) => finding.code)).toContain(code)
  })

  test('but one with a byte order mark is read, with a warning', async () => {
    const { installed, warnings } = await scratch.install(withManifest(`\ufeff${GOOD}`), CLAUDE)
    expect(installed).toMatchObject([{ id: 'guard' }])
    expect(warnings).toContainEqual(expect.objectContaining({ code: 'MANIFEST_BOM', severity: 'warning' }))
    const { rows } = await scratch.list()
    expect(rows.filter(({ id }) => id === 'guard')).toMatchObject([{ status: 'active' }])
  })
})

describe('another kind of file in place of the manifest', () => {
  const replaceManifest = (make: (file: string) => unknown): string => {
    const dir = scratch.bundle('guard', { files: { 'capability.json': null } })
    make(join(dir, 'capability.json'))
    return dir
  }

  const PLACES: readonly (readonly [string, (file: string) => unknown])[] = [
    ['a FIFO', (file) => spawnSync('mkfifo', [file])],
    ['a link to a device', (file) => symlinkSync('/dev/zero', file)],
    ['a link out of the bundle', (file) => symlinkSync('/etc/hostname', file)],
    ['a link inside the bundle', (file) => symlinkSync('hooks/run.sh', file)],
    ['a folder', (file) => mkdirSync(file)],
  ]
  test.each(PLACES)('%s is refused without being opened', async (_what, make) => {
    const bundle = replaceManifest(make)
    const error = await scratch.refused(() => scratch.install(bundle, CLAUDE))
    expect(error.exitStatus).toBe(3)
    expect(['ARCHIVE_UNSAFE', 'ARCHIVE_NO_BUNDLE']).toContain(error.code)
  })

  test('a socket is refused', async () => {
    const dir = scratch.bundle('guard', { to: 's', files: { 'capability.json': null } })
    const server = createServer()
    await new Promise<void>((resolve) => {
      server.listen(join(dir, 'capability.json'), resolve)
    })
    const error = await scratch.refused(() => scratch.install(dir, CLAUDE))
    expect(error.code).toBe('ARCHIVE_UNSAFE')
    server.close()
  })

  test('a device in an archive is refused', async () => {
    const file = scratch.put('guard.tgz', tgz({ path: 'capability.json', flag: '3' }))
    expect(await scratch.refused(() => scratch.install(file))).toMatchObject({ code: 'ARCHIVE_UNSAFE' })
  })

  test('a missing manifest is refused, naming the file', async () => {
    const bundle = scratch.bundle('guard', { files: { 'capability.json': null } })
    const error = await scratch.refused(() => scratch.install(bundle))
    expect(error).toMatchObject({ code: 'ARCHIVE_NO_BUNDLE' })
    expect(error.message).toContain('capability.json')
  })
})

describe('an invalid capability is refused', () => {
  test.each([
    ['a reserved id', { id: 'gsd-guard' }, 'MANIFEST_INVALID'],
    ['the id of a first-party one', { id: 'ui' }, 'REGISTRY_ID_COLLISION'],
    ['a newer GSD', { engines: { gsd: '>=99' } }, 'OVERLAY_INCOMPATIBLE'],
    ['an unknown role', { role: 'planet' }, 'MANIFEST_INVALID'],
    ['its own requirement', { requires: ['guard'] }, 'MANIFEST_INVALID'],
    ['a fragment that is not there', { contributions: [contribution({ path: 'none.md' })] }, 'MANIFEST_INVALID'],
    ['a hook script that is not there', { hooks: [{ event: 'Stop', script: 'none.sh' }] }, 'MANIFEST_INVALID'],
    ['a hook script outside', { hooks: [{ event: 'Stop', script: '../x.sh' }] }, 'MANIFEST_INVALID'],
    ['an integrity of something else', { integrity: `sha512-${'A'.repeat(86)}==` }, 'INTEGRITY_DIGEST_MISMATCH'],
  ] as const)('%s', async (_what, manifest, code) => {
    const bundle = scratch.bundle('guard', { manifest })
    expect(await scratch.refused(() => scratch.install(bundle, CLAUDE))).toMatchObject({ code, exitStatus: 3 })
  })

  test('a fragment that is not UTF-8, at install and in validate', async () => {
    const bundle = scratch.bundle('guard', {
      manifest: { contributions: [contribution({ path: 'note.md' })] },
      files: { 'note.md': Buffer.from([0xc3, 0x28]) },
    })
    expect(await scratch.refused(() => scratch.install(bundle))).toMatchObject({ code: 'OVERLAY_FRAGMENT' })
    const { files } = await validate(scratch.testContext().context, [bundle])
    expect(files[0]?.diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'OVERLAY_FRAGMENT',
        severity: 'error',
        path: '/contributions/0/fragment/path',
        line: expect.any(Number),
      }),
    )
  })

  test('every refusal of a bundle by install is an error of validate, with its position', async () => {
    for (const [manifest, code, path] of [
      [{ integrity: `sha512-${'A'.repeat(86)}==` }, 'INTEGRITY_DIGEST_MISMATCH', '/integrity'],
      [{ hooks: [{ event: 'Stop', script: 'hooks/thing' }] }, 'HOST_SCRIPT', '/hooks/0/script'],
      [{ hooks: [{ event: 'Stop', script: 'hooks/dos' }] }, 'HOST_SCRIPT', '/hooks/0/script'],
    ] as const) {
      const files = { 'hooks/thing': 'no program', 'hooks/dos': '#!/bin/sh\r\necho ran\r\n' }
      const bundle = scratch.bundle('guard', { manifest, files })
      const judged = await validate(scratch.testContext().context, [bundle])
      expect(judged.files[0]?.diagnostics).toMatchObject([{ code, severity: 'error', path, line: expect.any(Number) }])
    }
  })
})

const contribution = (fragment: object) => ({
  point: 'plan:pre',
  into: 'planner',
  fragment,
  produces: [],
  consumes: [],
})

describe('a source that overlaps with its own target', () => {
  test('is refused: inside .gsd, around it, and through a link', async () => {
    await scratch.install(scratch.bundle('guard'))
    scratch.put('home/capability.json', GOOD)
    symlinkSync(scratch.path('home/.gsd/capabilities/guard'), scratch.path('link'))
    for (const spec of [scratch.path('home/.gsd/capabilities/guard'), scratch.home, scratch.path('link')])
      expect(await scratch.refused(() => scratch.install(spec))).toMatchObject({
        code: 'FETCH_OVERLAPS_SCOPE',
        exitStatus: 3,
      })
    rmSync(scratch.path('link'))
  })
})

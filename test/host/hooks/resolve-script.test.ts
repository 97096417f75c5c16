import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resolveScript } from '../../../src/host/hooks/resolve-script.ts'
import { realDisk } from '../../../src/platform/real-disk.ts'
import { thrownBy } from '../../helpers/thrown.ts'

let root = ''
let bundle = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-script-')))
  bundle = join(root, 'bundle')
  mkdirSync(join(bundle, 'hooks'), { recursive: true })
  writeFileSync(join(bundle, 'hooks/run.sh'), '#!/bin/sh\n')
  writeFileSync(join(bundle, 'hooks/plain.js'), '//\n')
  writeFileSync(join(root, 'outside.sh'), '#!/bin/sh\n')
  mkdirSync(join(root, 'bundle-twin'))
  writeFileSync(join(root, 'bundle-twin/run.sh'), '#!/bin/sh\n')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const refusal = (script: string): string => {
  const error = thrownBy(() => resolveScript(realDisk, bundle, script))
  expect(error.code).toBe('HOST_SCRIPT')
  return error.message
}

describe('resolving a hook script', () => {
  it('gives the real path and whether there is a shebang, also through a linked bundle folder', () => {
    symlinkSync('bundle', join(root, 'linked'))
    expect(resolveScript(realDisk, join(root, 'linked'), 'hooks/run.sh')).toEqual({
      path: join(bundle, 'hooks/run.sh'),
      shebang: true,
    })
    expect(resolveScript(realDisk, bundle, 'hooks/plain.js')).toEqual({
      path: join(bundle, 'hooks/plain.js'),
      shebang: false,
    })
  })

  it('refuses a script that leads out of the bundle, by dots, by a link or by a linked folder', () => {
    symlinkSync('../../outside.sh', join(bundle, 'hooks/link.sh'))
    symlinkSync('../bundle-twin', join(bundle, 'twin'))
    expect(refusal('../outside.sh')).toContain('leads out of the bundle')
    expect(refusal('hooks/link.sh')).toContain('leads out of the bundle')
    expect(refusal('twin/run.sh')).toContain('leads out of the bundle')
    expect(refusal('../bundle-twin/run.sh')).toContain('leads out of the bundle')
  })

  it('refuses a FIFO without waiting for a writer, a folder, and what is not there', () => {
    execFileSync('mkfifo', [join(bundle, 'hooks/fifo.sh')])
    expect(refusal('hooks/fifo.sh')).toContain('not a regular file')
    expect(refusal('hooks')).toContain('not a regular file')
    expect(refusal('')).toContain('leads out of the bundle')
    expect(refusal('hooks/gone.sh')).toContain('is not there')
  })
})

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import type { Disk } from '../../src/platform/disk.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { sha512Hex } from '../../src/platform/hash.ts'
import {
  prepareReplacement,
  removeFile,
  removeTemporary,
  replaceFile,
  temporaryPathOf,
} from '../../src/platform/replace-file.ts'
import { asNobody } from '../helpers/as-nobody.ts'
import { type Fault, faultDisk, Killed } from '../helpers/fault-disk.ts'
import { codeOf, thrownBy } from '../helpers/thrown.ts'

let dir = ''
let file = ''
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'gsd replace-')))
  file = join(dir, "it's $HOME.json")
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Only root can give a file to somebody else. */
const asRoot = test.runIf(process.geteuid?.() === 0)

const OPERATION = 'abc123-00ff00ff'
const OLD = 'old text\r\n'
const NEW = 'new text, and longer than the one before\n'

const replace = (path: string, expectation: string | null | undefined, disk: Disk = realDisk, mode?: number): void =>
  replaceFile(disk, path, Buffer.from(NEW), {
    operation: OPERATION,
    expect: expectation,
    ...(mode === undefined ? {} : { mode }),
  })

const modeOf = (path: string): number => lstatSync(path).mode & 0o7777

describe('replacing a file', () => {
  test('writes exactly the new bytes and leaves nothing next to it', () => {
    writeFileSync(file, OLD)
    replace(file, sha512Hex(OLD))
    expect(readFileSync(file, 'utf8')).toBe(NEW)
    expect(readdirSync(dir)).toHaveLength(1)
  })

  for (const mode of [0o600, 0o640, 0o644, 0o755, 0o4711]) {
    test(`keeps its mode ${mode.toString(8)}`, () => {
      writeFileSync(file, OLD)
      chmodSync(file, mode)
      replace(file, sha512Hex(OLD), realDisk, 0o777)
      expect(modeOf(file)).toBe(mode)
    })
  }

  test('that does not exist creates it, with the requested mode less the umask', () => {
    const umask = process.umask(0o027)
    try {
      replace(file, null)
      replace(`${file}2`, null, realDisk, 0o600)
      replace(`${file}3`, null, realDisk, 0o777)
    } finally {
      process.umask(umask)
    }
    expect([file, `${file}2`, `${file}3`].map(modeOf)).toEqual([0o640, 0o600, 0o750])
  })

  test('follows links to the real file, and the links stay', () => {
    mkdirSync(join(dir, 'dotfiles'))
    const real = join(dir, 'dotfiles/real.json')
    writeFileSync(real, OLD, { mode: 0o600 })
    symlinkSync('dotfiles/real.json', join(dir, 'second'))
    symlinkSync('second', file)
    replace(file, sha512Hex(OLD))
    expect(readFileSync(real, 'utf8')).toBe(NEW)
    expect(modeOf(real)).toBe(0o600)
    expect([file, join(dir, 'second')].map((path) => lstatSync(path).isSymbolicLink())).toEqual([true, true])
    expect(readdirSync(join(dir, 'dotfiles'))).toEqual(['real.json'])
  })

  test('below a folder that is a link writes next to the real one', () => {
    mkdirSync(join(dir, 'real'))
    symlinkSync('real', join(dir, 'link'))
    replace(join(dir, 'link/x.json'), null)
    expect(readdirSync(join(dir, 'real'))).toEqual(['x.json'])
  })

  asRoot('keeps its owner and group when root does it', () => {
    writeFileSync(file, OLD)
    chownSync(file, 1234, 2345)
    replace(file, sha512Hex(OLD))
    expect([statSync(file).uid, statSync(file).gid]).toEqual([1234, 2345])
  })
})

describe('a file is refused and left unchanged', () => {
  const refused = (code: string, expectation?: string | null): void => {
    const before = readdirSync(dir)
    expect(codeOf(() => replace(file, expectation))).toBe(code)
    expect(readdirSync(dir)).toEqual(before)
  }

  test('when its content differs from what was read', () => {
    writeFileSync(file, OLD)
    refused('STATE_CHANGED', sha512Hex('something else'))
    expect(readFileSync(file, 'utf8')).toBe(OLD)
  })

  test('when it exists and should not', () => {
    writeFileSync(file, '')
    refused('STATE_CHANGED', null)
  })

  test('when it should exist and does not', () => refused('STATE_CHANGED', sha512Hex(OLD)))

  test('when it is a dangling link', () => {
    symlinkSync('nowhere', file)
    refused('STATE_LINKED')
  })

  test('when its links are circular', () => {
    symlinkSync(file, file)
    refused('STATE_LINKED')
  })

  test('when it has a second hard link', () => {
    writeFileSync(file, OLD)
    linkSync(file, join(dir, 'other'))
    refused('STATE_LINKED')
    expect(lstatSync(file).nlink).toBe(2)
  })

  test('when it is a pipe, which is never opened', () => {
    spawnSync('mkfifo', [file])
    refused('STATE_NOT_A_FILE')
  })

  test('when it is a folder', () => {
    mkdirSync(file)
    refused('STATE_NOT_A_FILE')
  })

  test('when its owner removed the write permission, even for root', () => {
    writeFileSync(file, OLD, { mode: 0o444 })
    refused('STATE_PERMISSION')
    expect(thrownBy(() => replace(file, undefined)).hint).toContain('chmod u+w')
  })

  test('when its folder does not exist', () => {
    file = join(dir, 'no/such/folder.json')
    refused('STATE_CHANGED')
  })

  test('when its folder is not writable', () => {
    writeFileSync(file, OLD, { mode: 0o666 })
    chmodSync(dir, 0o555)
    asNobody(() => refused('STATE_PERMISSION', sha512Hex(OLD)))
    expect(readFileSync(file, 'utf8')).toBe(OLD)
  })

  asRoot('when it belongs to somebody else and would change hands', () => {
    writeFileSync(file, OLD, { mode: 0o666 })
    chmodSync(file, 0o666)
    chmodSync(dir, 0o777)
    asNobody(() => refused('STATE_PERMISSION', sha512Hex(OLD)))
    expect([readFileSync(file, 'utf8'), statSync(file).uid]).toEqual([OLD, 0])
  })
})

describe('with any disk error', () => {
  /** Replaces with a fault in the disk; the error, or null. */
  const replaceWith = (fault: Fault): unknown => {
    rmSync(dir, { recursive: true })
    mkdirSync(dir)
    writeFileSync(file, OLD)
    try {
      replace(file, sha512Hex(OLD), faultDisk(realDisk, fault).disk)
      return null
    } catch (error) {
      return error
    }
  }
  const calls = (): number => {
    writeFileSync(file, OLD)
    const { disk, calls: made } = faultDisk(realDisk, { kind: 'none' })
    replace(file, sha512Hex(OLD), disk)
    return made.length
  }

  test('writes that accept one byte at a time write all of them', () => {
    expect(replaceWith({ kind: 'short' })).toBeNull()
    expect(readFileSync(file, 'utf8')).toBe(NEW)
  })

  test('a write that accepts nothing is a full disk, not an endless loop', () => {
    writeFileSync(file, OLD)
    const disk = { ...realDisk, writeSync: () => 0 }
    expect(codeOf(() => replace(file, sha512Hex(OLD), disk))).toBe('STATE_DISK_FULL')
    expect([readFileSync(file, 'utf8'), readdirSync(dir).length]).toEqual([OLD, 1])
  })

  for (const errno of ['ENOSPC', 'EDQUOT', 'EIO', 'EACCES', 'EROFS', 'EMFILE', 'EXDEV']) {
    test(`one call that fails with ${errno} gives an error with a reason, and the file is complete`, () => {
      const codes = new Set<string>()
      for (let at = 0; at < calls(); at += 1) {
        const error = replaceWith({ kind: 'errno', at, errno })
        if (!(error instanceof GsdError)) throw new Error(`call ${at}: ${String(error)}`)
        codes.add(error.code)
        // Only the last call, which syncs the folder, comes after the rename.
        expect([OLD, NEW]).toContain(readFileSync(file, 'utf8'))
        expect(readdirSync(dir)).toHaveLength(1)
      }
      expect(codes.size).toBe(1)
    })
  }

  test('an interrupted call is retried', () => {
    const { disk, calls: made } = faultDisk(realDisk, { kind: 'none' })
    writeFileSync(file, OLD)
    replace(file, sha512Hex(OLD), disk)
    for (const [at, { name }] of made.entries()) {
      if (!['openSync', 'writeSync', 'readSync', 'fsyncSync'].includes(name)) continue
      expect(replaceWith({ kind: 'errno', at, errno: 'EINTR' })).toBeNull()
      expect(readFileSync(file, 'utf8')).toBe(NEW)
    }
  })

  test('a kill at any call leaves the old file or the new one, and a temporary named by its operation', () => {
    for (let at = 0; ; at += 1) {
      const error = replaceWith({ kind: 'kill', at, torn: true })
      if (error === null) break
      expect(error).toBeInstanceOf(Killed)
      expect([OLD, NEW]).toContain(readFileSync(file, 'utf8'))
      removeTemporary(realDisk, file, OPERATION)
      expect(readdirSync(dir)).toHaveLength(1)
    }
  })
})

describe('a prepared replacement', () => {
  const prepare = () =>
    prepareReplacement(realDisk, file, Buffer.from(NEW), { operation: OPERATION, expect: sha512Hex(OLD) })

  test('is invisible until it is committed', () => {
    writeFileSync(file, OLD)
    const { temporary, commit } = prepare()
    expect([readFileSync(file, 'utf8'), temporary]).toEqual([OLD, temporaryPathOf(file, OPERATION)])
    commit()
    expect(readFileSync(file, 'utf8')).toBe(NEW)
  })

  test('does not overwrite a later edit', () => {
    writeFileSync(file, OLD)
    const { commit, discard } = prepare()
    writeFileSync(file, 'typed')
    expect(codeOf(commit)).toBe('STATE_CHANGED')
    discard()
    expect([readFileSync(file, 'utf8'), readdirSync(dir).length]).toEqual(['typed', 1])
  })

  test('does not replace a link created later', () => {
    writeFileSync(file, OLD)
    writeFileSync(join(dir, 'other'), OLD)
    const { commit } = prepare()
    rmSync(file)
    symlinkSync('other', file)
    expect(codeOf(commit)).toBe('STATE_CHANGED')
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
  })

  test('replaces the leftovers of the same operation', () => {
    writeFileSync(file, OLD)
    writeFileSync(temporaryPathOf(file, OPERATION), 'torn')
    prepare().commit()
    expect([readFileSync(file, 'utf8'), readdirSync(dir).length]).toEqual([NEW, 1])
  })
})

describe('deleting a file', () => {
  test('happens only while it has the expected content', () => {
    writeFileSync(file, OLD)
    expect(codeOf(() => removeFile(realDisk, file, sha512Hex(NEW)))).toBe('STATE_CHANGED')
    removeFile(realDisk, file, sha512Hex(OLD))
    expect(readdirSync(dir)).toEqual([])
  })

  test('that does not exist succeeds unless it was expected', () => {
    removeFile(realDisk, file, undefined)
    expect(codeOf(() => removeFile(realDisk, file, sha512Hex(OLD)))).toBe('STATE_CHANGED')
  })
})

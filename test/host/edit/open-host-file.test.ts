import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MAX_HOST_FILE_BYTES, openHostFile } from '../../../src/host/edit/open-host-file.ts'
import { realDisk } from '../../../src/platform/disk.ts'
import { hashOfText } from '../../../src/platform/hash.ts'
import { asNobody } from '../../helpers/as-nobody.ts'
import { thrownBy } from '../../helpers/thrown.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-open-')))
  chmodSync(root, 0o755)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (...parts: string[]): string => join(root, ...parts)
const write = (name: string, bytes: string | Uint8Array = '{}'): string => {
  writeFileSync(at(name), bytes)
  return at(name)
}
const open = (file: string): ReturnType<typeof openHostFile> => openHostFile(realDisk, file)

/** Refused with this code, and the disk is unchanged. */
const refusal = (file: string): { code: string; message: string; details: unknown } => {
  const { code, message, details } = thrownBy(() => open(file))
  return { code, message, details }
}

describe('opening a host file', () => {
  it('reads the text unchanged, with BOM, line ends and mode', () => {
    const text = '\uFEFF{\r\n  "a": "é"\r\n}'
    chmodSync(write('settings.json', text), 0o600)
    expect(open(at('settings.json'))).toEqual({
      file: at('settings.json'),
      text,
      hash: hashOfText(text),
      mode: 0o600,
      missingFolders: [],
    })
  })

  it('names the file by the given path, and a hint that a shell accepts as typed', () => {
    symlinkSync('/dev/null', at('settings.json'))
    expect(refusal(at('settings.json')).message).toBe(
      `"${at('settings.json')}" leads to "/dev/null", which is a device, not a regular file`,
    )
    mkdirSync(at("it's $HOME"))
    const file = write("it's $HOME/settings.json")
    chmodSync(file, 0o444)
    const { hint } = thrownBy(() => open(file))
    execFileSync('sh', ['-c', hint ?? ''])
    expect(open(file).text).toBe('{}')
    const link = at("it's $HOME/link.json")
    symlinkSync('nowhere', link)
    const [, remedy = ''] = /: (rm .*)$/.exec(thrownBy(() => open(link)).hint ?? '') ?? []
    execFileSync('sh', ['-c', remedy])
    expect(open(link).text).toBeNull()
  })

  it('treats an empty file as a file, not as a missing one', () => {
    expect(open(write('empty.json', ''))).toMatchObject({ text: '', hash: hashOfText('') })
  })

  it('lists the folders that a missing file needs, outermost first', () => {
    expect(open(at('a', 'b', 'settings.json'))).toEqual({
      file: at('a', 'b', 'settings.json'),
      text: null,
      hash: null,
      mode: null,
      missingFolders: [at('a'), at('a', 'b')],
    })
    expect(open(at('settings.json')).missingFolders).toEqual([])
  })

  it('follows links, including chains and linked folders, to the real file', () => {
    mkdirSync(at('dotfiles'))
    write('dotfiles/claude.json', '{"a": 1}')
    symlinkSync('dotfiles/claude.json', at('one.json'))
    symlinkSync(at('one.json'), at('two.json'))
    symlinkSync('dotfiles', at('linked'))
    expect(open(at('two.json'))).toMatchObject({ file: at('dotfiles', 'claude.json'), text: '{"a": 1}' })
    expect(open(at('linked', 'claude.json')).file).toBe(at('dotfiles', 'claude.json'))
    expect(open(at('linked', 'new', 'x.json'))).toMatchObject({
      file: at('dotfiles', 'new', 'x.json'),
      missingFolders: [at('dotfiles', 'new')],
    })
  })

  it('refuses a dangling link, and names its target', () => {
    symlinkSync('gone.json', at('settings.json'))
    symlinkSync('nowhere', at('folder'))
    expect(refusal(at('settings.json'))).toMatchObject({
      code: 'HOST_SETTINGS_FILE',
      message: expect.stringContaining('"gone.json"'),
    })
    expect(refusal(at('folder', 'settings.json')).message).toContain('"nowhere"')
  })

  it('refuses circular links and a file in place of a folder', () => {
    symlinkSync('b.json', at('a.json'))
    symlinkSync('a.json', at('b.json'))
    write('file')
    expect(refusal(at('a.json'))).toMatchObject({
      code: 'HOST_SETTINGS_FILE',
      message: expect.stringContaining('is a link to itself'),
    })
    expect(refusal(at('file', 'settings.json')).message).toContain('not a folder')
    expect(refusal(at('file', 'deep', 'settings.json')).message).toContain('not a folder')
  })

  it('refuses a FIFO without waiting for a writer, also through a link', () => {
    execFileSync('mkfifo', [at('fifo')])
    symlinkSync('fifo', at('settings.json'))
    expect(refusal(at('fifo')).message).toContain('is a FIFO')
    expect(refusal(at('settings.json')).message).toContain('is a FIFO')
  })

  it('refuses a folder and a device', () => {
    mkdirSync(at('settings.json'))
    expect(refusal(at('settings.json')).message).toContain('is a folder')
    expect(refusal('/dev/null').message).toContain('is a device')
  })

  it('refuses a file that has a second hard link', () => {
    linkSync(write('a.json'), at('b.json'))
    expect(refusal(at('a.json'))).toMatchObject({
      code: 'HOST_SETTINGS_FILE',
      message: expect.stringContaining('2 hard links'),
    })
  })

  it('refuses a file without the owner-write bit, even to root', () => {
    chmodSync(write('settings.json'), 0o444)
    expect(refusal(at('settings.json')).message).toContain('write-protected')
  })

  it('refuses a file without read or write permission', () => {
    chmodSync(write('private.json'), 0o600)
    chmodSync(write('readable.json'), 0o644)
    if (process.geteuid?.() === 0) {
      expect(asNobody(() => refusal(at('private.json'))).message).toContain('EACCES')
      expect(asNobody(() => refusal(at('readable.json'))).message).toContain('EACCES')
    } else {
      chmodSync(at('private.json'), 0o200)
      expect(refusal(at('private.json')).message).toContain('EACCES')
    }
  })

  it.each([
    [Buffer.from([0x7b, 0xff, 0x7d]), 1, 2],
    [Buffer.concat([Buffer.from('{\r\n"é": "'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]), 2, 7],
    [Buffer.from('\uFEFF{}', 'utf16le'), 1, 1],
    [Buffer.from([0x7b, 0x7d, 0xed, 0xa0, 0x80]), 1, 3],
  ])('refuses bytes that are not UTF-8 with line and column', (bytes, line, column) => {
    write('settings.json', bytes)
    expect(refusal(at('settings.json'))).toMatchObject({ code: 'HOST_SETTINGS_FILE', details: { line, column } })
  })

  it('refuses a file too large for settings without reading it', () => {
    truncateSync(write('settings.json'), MAX_HOST_FILE_BYTES + 1)
    expect(refusal(at('settings.json')).message).toContain('too large')
  })

  it('asks to run again when the file is written while it is read', () => {
    write('settings.json', '{"a": 1}')
    const cutShort = { ...realDisk, readSync: () => 0 }
    expect(thrownBy(() => openHostFile(cutShort, at('settings.json')))).toMatchObject({
      code: 'HOST_SETTINGS_CHANGED',
      exitStatus: 4,
    })
  })

  it('leaves a file that it read or refused unchanged', () => {
    const before = statSync(write('settings.json', '{"a": 1}'))
    open(at('settings.json'))
    expect(statSync(at('settings.json'))).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs, mode: before.mode })
    expect(readFileSync(at('settings.json'), 'utf8')).toBe('{"a": 1}')
  })
})

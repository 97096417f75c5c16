import { spawnSync } from 'node:child_process'
import { chmodSync, linkSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const CLAUDE = { runtimes: ['claude'] } as const

describe('unusual but valid settings are edited in their own style, and restored byte for byte', () => {
  const PLAIN = '{\n  "model": "opus",\n  "hooks": {\n    "Stop": []\n  }\n}\n'
  test.each([
    ['with comments', '// a\n{ /* b */\n  "model": "opus", // c\n  "hooks": { /* d */ } // e\n}\n// f\n'],
    ['with a byte order mark', `\ufeff${PLAIN}`],
    ['with CRLF', PLAIN.replaceAll('\n', '\r\n')],
    ['with tabs', PLAIN.replaceAll('  ', '\t')],
    ['without a final newline', PLAIN.trimEnd()],
    ['with trailing commas', '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [],\n  },\n}\n'],
    ['on one line', '{"model":"opus","hooks":{"Stop":[]}}'],
    ['that are an empty object', '{}'],
    ['that are an empty file', ''],
    ['that are blank', ' \n\n'],
    ['with big numbers and escapes', '{"a":12345678901234567890.50,"b":"\\u00e9\\/","c":1e999}\n'],
    ['with duplicate keys elsewhere', '{"env":{"A":1,"A":2},"hooks":{}}\n'],
    ['with null in place of an event', '{"hooks":{"Stop":null}}\n'],
    ['with groups of an unfamiliar shape', '{"hooks":{"PreToolUse":["x",{"hooks":"y"},{"matcher":"Bash"}]}}\n'],
  ] as const)('%s', async (_what, text) => {
    const bundle = scratch.bundle('guard')
    scratch.put('home/.claude/settings.json', text, 0o600)
    const before = scratch.tree()
    await scratch.install(bundle, CLAUDE)
    const wired = readFileSync(scratch.settings, 'utf8')
    expect(wired).toContain('hooks/run.sh')
    if (text.includes('\r\n')) expect(wired.replaceAll('\r\n', '')).not.toContain('\n')
    expect(lstatSync(scratch.settings).mode & 0o7777).toBe(0o600)
    await scratch.install(bundle, CLAUDE)
    expect(readFileSync(scratch.settings, 'utf8')).toBe(wired)
    await scratch.remove('guard')
    scratch.expectTree(before)
  })

  test.each(['home/.gsd/ledger.json', 'home/.gsd/capabilities/guard/capability.json', 'project/.gsd/state.json'])(
    'that point into files of the program are refused: %s',
    async (target) => {
      const bundle = scratch.bundle('guard')
      scratch.put(target, target.includes('ledger') ? '{"schema":1,"capabilities":{}}\n' : '{}')
      mkdirSync(dirname(scratch.settings), { recursive: true })
      symlinkSync(scratch.path(target), scratch.settings)
      const error = await scratch.refused(() => scratch.install(bundle, { ...CLAUDE, force: true }))
      expect(error).toMatchObject({ code: 'HOST_SETTINGS_FILE', details: { real: scratch.path(target) } })
    },
  )

  test.each([
    ['cline', '.clinerules'],
    ['copilot', '.github'],
  ])('a link in the project does not redirect a file that %s runs out of the project', async (runtime, folder) => {
    const hooks = [{ event: 'PreToolUse', script: 'hooks/run.sh' }]
    const bundle = scratch.bundle('guard', { manifest: { hooks } })
    mkdirSync(scratch.path('outside'))
    symlinkSync(scratch.path('outside'), scratch.path('project', folder))
    const request = { scope: 'project', runtimes: [runtime] } as const
    const error = await scratch.refused(() => scratch.install(bundle, request))
    expect(error).toMatchObject({ code: 'HOST_LINKED', message: expect.stringContaining('out of the project') })
    rmSync(scratch.path('project', folder))
    symlinkSync('.hidden', scratch.path('project', folder))
    mkdirSync(scratch.path('project/.hidden'))
    expect((await scratch.install(bundle, request)).installed[0]?.wired[0]?.file).toContain('/.hidden/')
  })

  test('which the host itself would not read cause a warning', async () => {
    scratch.put('home/.claude/settings.json', '{\n  "model": "opus", // mine\n}\n')
    const { warnings } = await scratch.install(scratch.bundle('guard'), CLAUDE)
    expect(warnings.map(({ code }) => code)).toContain('HOST_SYNTAX_NOT_READ')
  })

  test('that are a link into a folder of dotfiles stay one, and the target keeps its mode', async () => {
    scratch.put('dotfiles/claude/settings.json', PLAIN, 0o640)
    mkdirSync(dirname(scratch.settings), { recursive: true })
    symlinkSync('../../dotfiles/claude/settings.json', scratch.settings)
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    const { installed } = await scratch.install(bundle, CLAUDE)
    expect(installed[0]?.wired).toEqual([{ runtime: 'claude', file: scratch.path('dotfiles/claude/settings.json') }])
    expect(readlinkSync(scratch.settings)).toBe('../../dotfiles/claude/settings.json')
    expect(scratch.text('dotfiles/claude/settings.json')).toContain('run.sh')
    await scratch.remove('guard')
    scratch.expectTree(before)
  })

  test('in a linked folder, and through a chain of links', async () => {
    scratch.put('dotfiles/claude/real.json', PLAIN)
    symlinkSync('real.json', scratch.path('dotfiles/claude/settings.json'))
    symlinkSync('../dotfiles/claude', scratch.path('home/.claude'))
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    await scratch.install(bundle, CLAUDE)
    expect(scratch.text('dotfiles/claude/real.json')).toContain('run.sh')
    await scratch.remove('guard')
    scratch.expectTree(before)
  })
})

describe('settings that cannot be edited are refused before any change', () => {
  const settings = (content: string | Buffer, mode = 0o644): void => {
    scratch.put('home/.claude/settings.json', content, mode)
  }
  const folder = (): string => {
    mkdirSync(dirname(scratch.settings), { recursive: true })
    return scratch.settings
  }

  test.each([
    ['a syntax error', '{\n  "model": "opus"\n  "x": 1\n}\n', 'HOST_SETTINGS_UNPARSABLE', 3],
    ['a file that was cut off', '{\n  "model": "op', 'HOST_SETTINGS_UNPARSABLE', 2],
    ['JavaScript', '{ model: "opus" }', 'HOST_SETTINGS_UNPARSABLE', 1],
    ['two values', '{}\n{}\n', 'HOST_SETTINGS_UNPARSABLE', 2],
    ['an array at the root', '[]\n', 'HOST_SETTINGS_SHAPE', 1],
    ['null at the root', 'null', 'HOST_SETTINGS_SHAPE', 1],
    ['a text at the root', '"x"', 'HOST_SETTINGS_SHAPE', 1],
    ['an array for hooks', '{\n  "hooks": []\n}\n', 'HOST_SETTINGS_SHAPE', 2],
    ['null for hooks', '{\n  "hooks": null\n}\n', 'HOST_SETTINGS_SHAPE', 2],
    ['a text for hooks', '{"hooks":"x"}', 'HOST_SETTINGS_SHAPE', 1],
    ['an object for our event', '{"hooks":{\n"PreToolUse":{}}}', 'HOST_SETTINGS_SHAPE', 2],
    ['hooks twice', '{"hooks":{},\n"hooks":{}}', 'HOST_SETTINGS_SHAPE', 2],
  ] as const)('%s, with line and column', async (_what, text, code, line) => {
    settings(text)
    const bundle = scratch.bundle('guard')
    const error = await scratch.refused(() => scratch.install(bundle, CLAUDE))
    expect(error).toMatchObject({
      code,
      exitStatus: 3,
      details: { file: scratch.settings, line, column: expect.any(Number) },
    })
  })

  const PLACES: readonly (readonly [string, () => unknown])[] = [
    ['a FIFO', () => spawnSync('mkfifo', [folder()])],
    ['a folder', () => mkdirSync(folder())],
    ['a link to nothing', () => symlinkSync('none.json', folder())],
    ['a link to itself', () => symlinkSync('settings.json', folder())],
    ['a device', () => symlinkSync('/dev/null', folder())],
    ['a file that may not be written', () => settings('{}\n', 0o444)],
    [
      'a file with a second hard link',
      () => (settings('{}\n'), linkSync(scratch.settings, scratch.path('home/second.json'))),
    ],
    ['a file that is not UTF-8', () => settings(Buffer.from('{"a":"\u00e4"}', 'latin1'))],
    ['a file of 20 MB', () => settings(`{"a":"${'x'.repeat(20_000_000)}"}`)],
    ['a file below a file', () => scratch.put('home/.claude', 'x')],
  ]
  test.each(PLACES)('%s', async (_what, make) => {
    make()
    const bundle = scratch.bundle('guard')
    for (const request of [CLAUDE, { runtimes: ['codex', 'claude'] }]) {
      const error = await scratch.refused(() => scratch.install(bundle, request))
      expect(error).toMatchObject({ code: 'HOST_SETTINGS_FILE', exitStatus: 3, hint: expect.stringMatching(/./) })
      expect(error.message).toMatch(/\.claude|\/dev\/null/)
    }
  })

  test('on removal and update as well, and the capability is unchanged', async () => {
    const bundle = scratch.bundle('guard')
    settings('{}\n')
    await scratch.install(bundle, CLAUDE)
    const wired = readFileSync(scratch.settings, 'utf8')
    settings(wired.replace('{', '{{'))
    expect(await scratch.refused(() => scratch.remove('guard'))).toMatchObject({ code: 'HOST_SETTINGS_UNPARSABLE' })
    scratch.bundle('guard', { manifest: { version: '2.0.0', hooks: [] } })
    expect(await scratch.refused(() => scratch.install(bundle))).toMatchObject({ code: 'HOST_SETTINGS_UNPARSABLE' })
    settings(wired)
    chmodSync(scratch.settings, 0o444)
    expect(await scratch.refused(() => scratch.remove('guard'))).toMatchObject({ code: 'HOST_SETTINGS_FILE' })
  })

  test('a missing settings file does not stop a removal', async () => {
    const bundle = scratch.bundle('guard')
    const before = scratch.tree()
    await scratch.install(bundle, CLAUDE)
    rmSync(join(scratch.home, '.claude'), { recursive: true })
    await scratch.remove('guard')
    scratch.expectTree(before)
  })

  test('a settings file that the user emptied stays empty', async () => {
    settings('{ "model": "opus" }\n')
    await scratch.install(scratch.bundle('guard'), CLAUDE)
    settings('')
    await scratch.remove('guard')
    expect(readFileSync(scratch.settings, 'utf8')).toBe('')
  })
})

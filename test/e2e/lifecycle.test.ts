import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Machine, makeMachine, type Run } from '../helpers/gsd.ts'
import { treeState } from '../helpers/scratch.ts'

const HELLO = join(import.meta.dirname, '../../fixtures/bundles/hello-hook')
const SETTINGS = '// mine\n{\n\t"model": "opus",\n      "permissions": { "allow": [ "Bash(ls:*)" ] }\n}'

let machine: Machine

beforeEach(() => {
  machine = makeMachine(`gsd it's $HOME "x"`)
  cpSync(HELLO, join(machine.root, 'hello-hook'), { recursive: true })
})
afterEach(() => machine.remove())

const put: Machine['put'] = (...args) => machine.put(...args)
const bundle: Machine['bundle'] = (...args) => machine.bundle(...args)
const state = (): string[] => treeState(machine.root)
const ok = (run: Run): Run => {
  expect(run).toMatchObject({ status: 0 })
  return run
}
const unchanged = async (line: readonly string[], options = {}): Promise<Run> => {
  const everything = (): string[] => treeState(machine.root, { skeleton: true })
  const before = everything()
  const run = await machine.gsd(line, options)
  expect(everything()).toEqual(before)
  return run
}

describe.each([
  ['global', 'home/.claude/settings.json'],
  ['project', 'project/.claude/settings.local.json'],
])('a full lifecycle in the %s scope', (scope, settings) => {
  it('leaves home, project and settings as they were, and the hook runs in between', async () => {
    const file = put(settings, SETTINGS, 0o600)
    const before = state()
    const flags = ['--scope', scope, '--runtime', 'claude', '--yes']
    ok(await machine.gsd(['capability', 'install', '../hello-hook', ...flags]))
    const list = ok(await machine.gsd(['capability', 'list', '--scope', scope]))
    expect(list.stdout).toMatch(new RegExp(`^hello-hook +1\\.0\\.0 +${scope} +active`, 'm'))

    const [, quoted = '""'] = /"command"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(readFileSync(file, 'utf8')) ?? []
    const command = String(JSON.parse(quoted))
    const hook = spawnSync('sh', ['-c', command], { cwd: '/', input: '{"tool_name":"Bash"}', encoding: 'utf8' })
    expect(hook).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(hook.stdout)).toEqual({ systemMessage: 'hello-hook: a command is about to run' })

    const installed = state()
    ok(await machine.gsd(['capability', 'install', '../hello-hook', ...flags]))
    expect(state()).toEqual(installed)
    ok(await machine.gsd(['capability', 'remove', 'hello-hook']))
    expect(state()).toEqual(before)
    const again = await unchanged(['capability', 'remove', 'hello-hook', '--json'])
    expect(again).toMatchObject({ status: 4, json: { ok: false, error: { code: 'STATE_NOT_INSTALLED' } } })
  })
})

describe('the --json answer', () => {
  const SRI = expect.stringMatching(/^sha512-[A-Za-z0-9+/]{86}==$/)
  const install = (...more: readonly string[]) => [
    'cap',
    'install',
    '../hello-hook',
    '--runtime',
    'claude',
    '--json',
    ...more,
  ]

  it('to install, a dry run, a second install, list, info and remove has the documented shape', async () => {
    const row = {
      id: 'hello-hook',
      version: '1.0.0',
      scope: 'global',
      digest: SRI,
      spec: '../hello-hook',
      resolved: { kind: 'local' },
      wired: expect.arrayContaining([{ runtime: 'claude', file: join(machine.home, '.claude/settings.json') }]),
      notWired: [],
    }
    const planned = ok(await unchanged(install('--dry-run'))).json
    expect(planned).toEqual({
      ok: true,
      data: {
        installed: [row],
        unchanged: [],
        plan: {
          disclosures: [expect.objectContaining({ id: 'hello-hook' })],
          changes: expect.any(Array),
          code: [{ id: 'hello-hook', files: [expect.objectContaining({ path: 'hooks/hello.sh' })] }],
        },
      },
      warnings: [],
    })
    expect(ok(await machine.gsd(install('--yes'))).json).toEqual({
      ok: true,
      data: { installed: [row], unchanged: [] },
      warnings: [],
    })
    expect(ok(await machine.gsd(install())).json).toEqual({
      ok: true,
      data: { installed: [], unchanged: ['hello-hook'] },
      warnings: [],
    })

    const listed = ok(await machine.gsd(['cap', 'list', '--json'])).json
    expect(listed).toEqual({ ok: true, data: { capabilities: expect.any(Array) }, warnings: [] })
    const rows = listed.data['capabilities'] as readonly { readonly id: string }[]
    expect(rows.find(({ id }) => id === 'hello-hook')).toEqual({
      id: 'hello-hook',
      role: 'feature',
      version: '1.0.0',
      tier: 'standard',
      title: 'Hello, hook',
      scope: 'global',
      status: 'active',
      code: null,
      reason: null,
      source: '../hello-hook',
      hosts: ['claude'],
    })

    const info = ok(await unchanged(['cap', 'info', 'hello-hook', '--json'])).json
    expect(info).toMatchObject({
      ok: true,
      data: { asked: 'id', details: [{ id: 'hello-hook', entry: { version: '1.0.0' } }] },
    })
    const asked = ok(await unchanged(['cap', 'info', '../hello-hook', '--json'])).json
    expect(asked).toMatchObject({ ok: true, data: { asked: 'spec', details: [{ id: 'hello-hook', entry: null }] } })

    const removal = ok(await unchanged(['cap', 'remove', 'hello-hook', '--dry-run', '--json'])).json
    expect(removal.data).toMatchObject({ removed: [{ id: 'hello-hook' }], plan: { changes: expect.any(Array) } })
    expect(ok(await machine.gsd(['cap', 'remove', 'hello-hook', '--json'])).json).toMatchObject({
      ok: true,
      data: {
        removed: [{ id: 'hello-hook', version: '1.0.0', scope: 'global' }],
        unwired: expect.arrayContaining([{ id: 'hello-hook', file: join(machine.home, '.claude/settings.json') }]),
        kept: [],
      },
      warnings: [],
    })
  })

  it('to an install without consent is the error with every command that would run, on one line of stdout', async () => {
    const run = await unchanged(install())
    expect(run.status).toBe(3)
    expect(run.json).toEqual({
      ok: false,
      error: {
        code: 'CONSENT_REQUIRED',
        message: expect.stringContaining('hello-hook'),
        hint: expect.stringContaining('--yes'),
        details: {
          disclosure: [
            expect.objectContaining({
              id: 'hello-hook',
              surfaces: [
                {
                  kind: 'hook',
                  event: 'PreToolUse',
                  matcher: 'Bash',
                  timeout: 5,
                  script: 'hooks/hello.sh',
                  sha512: expect.stringMatching(/^[0-9a-f]{128}$/),
                },
              ],
            }),
          ],
        },
      },
      warnings: [],
    })
    expect(run.stderr).toContain('hooks/hello.sh')
  })

  it('to validate has data whether or not there are findings', async () => {
    expect(ok(await unchanged(['cap', 'validate', '../hello-hook', '--json'])).json).toEqual({
      ok: true,
      data: { files: [{ file: '../hello-hook/capability.json', id: 'hello-hook', diagnostics: [] }] },
      warnings: [],
    })
    bundle('bad', { version: 'new' })
    const run = await unchanged(['cap', 'validate', '../bundles/bad', '--json'])
    expect(run.status).toBe(3)
    expect(run.json).toMatchObject({
      ok: false,
      error: { code: 'VALIDATION_FAILED' },
      data: {
        files: [
          {
            id: 'bad',
            diagnostics: [
              {
                severity: 'error',
                path: '/version',
                line: 4,
                column: expect.any(Number),
                message: expect.stringContaining('"new"'),
              },
            ],
          },
        ],
      },
      warnings: [],
    })
  })

  it('to pack names the integrity that its archive installs with', async () => {
    const { data } = ok(await machine.gsd(['cap', 'pack', '../hello-hook', '--out', '../x.tgz', '--json'])).json
    expect(data).toEqual({
      file: join(machine.root, 'x.tgz'),
      integrity: SRI,
      digest: SRI,
      files: 5,
      paths: expect.arrayContaining(['capability.json']),
      size: expect.any(Number),
    })
    const line = ['cap', 'install', '../x.tgz', '--yes', '--json', `--integrity=${String(data['integrity'])}`]
    const { json } = ok(await machine.gsd(line))
    expect(json.data['installed']).toMatchObject([{ digest: data['digest'], resolved: { kind: 'tarball' } }])
  })

  it('to a failure is one document with the same error as on stderr', async () => {
    for (const [line, status, code] of [
      [['cap', 'install', './none'], 5, 'FETCH_NOT_FOUND'],
      [['cap', 'install', 'what is this'], 2, 'SPEC_MALFORMED'],
      [['cap', 'remove', 'none'], 4, 'STATE_NOT_INSTALLED'],
      [['cap', 'install', '../hello-hook', '--runtime', 'cluade'], 2, 'HOST_UNKNOWN_RUNTIME'],
      [['cap', 'install', '../hello-hook', '--settings', 'x.json'], 2, 'USAGE_CONFLICT'],
      [['cap', 'install', '../hello-hook', '--integrity', 'sha1-x'], 2, 'INTEGRITY_NO_ARTIFACT'],
    ] as const) {
      const run = await unchanged([...line, '--json'])
      expect(run).toMatchObject({
        status,
        json: { ok: false, error: { code, hint: expect.stringMatching(/./) }, warnings: [] },
      })
      expect(run.stdout.split('\n')).toHaveLength(2)
      expect(run.stderr).toContain(code)
      expect(run.stderr).not.toContain('    at ')
    }
  })
})

describe('a command line', () => {
  it('may have its flags anywhere', async () => {
    const { json } = ok(
      await machine.gsd([
        '--json',
        '--yes',
        'cap',
        '--runtime=claude',
        'install',
        '--scope',
        'project',
        '../hello-hook',
      ]),
    )
    expect(json.data['installed']).toMatchObject([
      { scope: 'project', wired: expect.arrayContaining([expect.objectContaining({ runtime: 'claude' })]) },
    ])
    ok(await machine.gsd(['--scope=project', 'cap', 'remove', '--json', 'hello-hook']))
  })

  it.each([
    [['cap', 'install', '../hello-hook', '--yes', '--dryrun'], '--dry-run'],
    [['cap', 'install', '../hello-hook', '--yes', '--dry_run'], '--dry-run'],
    [['cap', 'install', '../hello-hook', '--yes', '--run-time', 'claude'], '--runtime'],
    [['cap', 'install', '../hello-hook', '--yes', '--intgrity=sha512-x'], '--integrity'],
    [['cap', 'install', '../hello-hook', '-q'], '--quiet'],
    [['cap', 'instal', '../hello-hook', '--yes'], 'gsd capability install'],
    [['capabilty', 'install', '../hello-hook', '--yes'], 'gsd capability'],
    [['cap', 'install', '../hello-hook', '--yes', '--scope', 'globl'], '--scope global'],
  ])('with a mistyped word is refused with a suggestion, and does nothing: %j', async (line, right) => {
    const run = await unchanged([...line, '--json'])
    expect(run).toMatchObject({ status: 2, json: { ok: false, error: { hint: expect.stringContaining(right) } } })
  })

  it('with a flag of another command, a value for a switch, or none for a text is refused', async () => {
    for (const [line, code] of [
      [['cap', 'list', '--runtime', 'claude'], 'USAGE_UNKNOWN_FLAG'],
      [['cap', 'install', '../hello-hook', '--yes=no'], 'USAGE_BAD_VALUE'],
      [['cap', 'install', '../hello-hook', '--dry-run=false'], 'USAGE_BAD_VALUE'],
      [['cap', 'install', '../hello-hook', '--integrity'], 'USAGE_MISSING_ARGUMENT'],
      [['cap', 'install', '../hello-hook', '--integrity', '--yes'], 'USAGE_MISSING_ARGUMENT'],
      [['cap', 'install', '../hello-hook', '--integrity', ''], 'USAGE_BAD_VALUE'],
      [['cap', 'install'], 'USAGE_MISSING_ARGUMENT'],
      [['cap', 'remove'], 'USAGE_MISSING_ARGUMENT'],
      [['cap', 'list', 'more'], 'USAGE_EXTRA_ARGUMENT'],
    ] as const)
      expect(await unchanged([...line, '--json'])).toMatchObject({ status: 2, json: { error: { code } } })
  })
})

describe('without a terminal', () => {
  it('an install that needs consent is refused, with everything disclosed and nothing written', async () => {
    put('home/.claude/settings.json', SETTINGS)
    const run = await unchanged(['cap', 'install', '../hello-hook', '--runtime', 'claude'], { input: 'yes\n' })
    expect(run).toMatchObject({ status: 3, stdout: '' })
    expect(run.stderr).toContain('CONSENT_REQUIRED')
    expect(run.stderr).toMatch(/hook on PreToolUse, where Bash matches/)
    expect(run.stderr).toMatch(/sha512 [0-9a-f]{128}/)
    expect(run.stderr).toContain(join(machine.home, '.claude/settings.json'))
  })

  it('only hosts named by --runtime are wired, and this is reported', async () => {
    put('home/.claude/settings.json', SETTINGS)
    const run = ok(await machine.gsd(['cap', 'install', '../hello-hook', '--yes']))
    expect(run.stderr).toContain('--runtime')
    expect(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8')).toBe(SETTINGS)
  })
})

describe('a place without write permission', () => {
  const NOBODY = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const line = ['cap', 'install', '../hello-hook', '--runtime', 'claude', '--yes', '--json']
  /** Root ignores file modes, so another user runs the program. */
  const asAnyone = (folder: string, mode = 0o555): void => chmodSync(join(machine.root, folder), mode)

  beforeEach(() => {
    for (const folder of ['.', 'home', 'project', 'hello-hook']) asAnyone(folder, 0o755)
    mkdirSync(join(machine.root, 'cache'))
    asAnyone('cache', 0o777)
  })

  it('as scope root is refused, and changes nothing and leaves nothing in the cache', async () => {
    put('home/.claude/settings.json', SETTINGS, 0o666)
    asAnyone('home')
    for (const scope of ['global', 'project']) {
      asAnyone('project')
      const run = await unchanged([...line, '--scope', scope], NOBODY)
      expect(run.status).toBe(5)
      expect(['LOCK_FAILED', 'STATE_PERMISSION']).toContain(run.json.error.code)
      expect(run.json.error.message).toMatch(/permission denied/)
      expect(run.json.error.hint).toMatch(/write/)
    }
  })

  it('as cache is refused before anything else', async () => {
    asAnyone('cache')
    const run = await unchanged(line, NOBODY)
    expect(run).toMatchObject({ status: 5, json: { error: { code: 'STATE_PERMISSION' } } })
    expect(run.json.error.message).toContain('cache')
  })

  it('as folder of the settings is refused before the bundle is placed', async () => {
    const settings = put('home/.claude/settings.json', SETTINGS, 0o666)
    asAnyone('home', 0o777)
    asAnyone('home/.claude')
    const run = await unchanged(line, NOBODY)
    expect(run).toMatchObject({ status: 5, json: { error: { code: 'STATE_PERMISSION' } } })
    expect(run.json.error.message).toContain('.claude')
    expect(readFileSync(settings, 'utf8')).toBe(SETTINGS)
  })

  it('as settings file is refused', async () => {
    put('home/.claude/settings.json', SETTINGS, 0o444)
    asAnyone('home', 0o777)
    const run = await unchanged(line, NOBODY)
    expect(run).toMatchObject({ status: 3, json: { error: { code: 'HOST_SETTINGS_FILE' } } })
  })

  it('does not stop list and info', async () => {
    ok(await machine.gsd(line))
    for (const folder of ['home', 'home/.gsd', 'cache']) asAnyone(folder)
    const list = ok(await unchanged(['cap', 'list', '--json'], NOBODY))
    expect(list.json.data['capabilities']).toContainEqual(
      expect.objectContaining({ id: 'hello-hook', status: 'active' }),
    )
    ok(await unchanged(['cap', 'info', 'hello-hook', '--json'], NOBODY))
  })
})

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'

let machine: Machine
beforeEach(() => {
  machine = makeMachine()
})
afterEach(() => machine.remove())

const gsd = (...args: readonly string[]) => machine.gsd(args)
const config = (): string => readFileSync(join(machine.project, '.planning/config.json'), 'utf8')

describe('a workflow written for GSD Core', () => {
  it('reads the envelope of `loop render-hooks <point> --raw`', async () => {
    const { status, stdout } = await gsd('loop', 'render-hooks', 'plan:pre', '--raw')
    expect(status).toBe(0)
    const { point, activeHooks, rendered } = JSON.parse(stdout)
    expect(point).toBe('plan:pre')
    expect(typeof rendered).toBe('string')
    expect(activeHooks).toContainEqual(
      expect.objectContaining({
        capId: 'research',
        kind: 'step',
        ref: { agent: 'gsd-phase-researcher' },
        fragment: { inline: expect.any(String) },
      }),
    )
    expect(activeHooks).toContainEqual(
      expect.objectContaining({
        capId: 'security',
        kind: 'contribution',
        into: 'planner',
        configValues: { security_asvs_level: 1, security_block_on: 'high' },
      }),
    )
    expect(activeHooks).toContainEqual(
      expect.objectContaining({
        capId: 'ui',
        kind: 'gate',
        check: { query: 'ui.plan-gate' },
        blocking: true,
        onError: 'halt',
      }),
    )
  })

  it('reads the verdict of `check predicate --predicate … --raw`, also with variables that are not set', async () => {
    const predicate = JSON.stringify({
      kind: 'artifact-frontmatter-equals',
      artifact: 'WINDOWS.md',
      field: 'open_count',
      equals: 0,
    })
    const check = (...more: readonly string[]) => gsd('check', 'predicate', '--predicate', predicate, ...more, '--raw')
    const blocked = await check('--phase-dir', '', '--phase-number', '', '--phase-req-ids', '')
    expect(blocked).toMatchObject({ status: 0 })
    expect(JSON.parse(blocked.stdout)).toMatchObject({
      block: true,
      message: expect.any(String),
      details: { kind: 'artifact-frontmatter-equals' },
    })
    machine.put('project/.planning/phases/01-x/01-WINDOWS.md', '---\nopen_count: 0\n---\n')
    const passed = await check('--phase-dir', '.planning/phases/01-x')
    expect(JSON.parse(passed.stdout)).toMatchObject({ block: false })
  })

  it('asks with --active-cap whether a capability has an active hook, and reads true or false', async () => {
    const ask = (...more: readonly string[]) => gsd('loop', 'render-hooks', 'execute:post', ...more)
    machine.put('project/.planning/config.json', '{"workflow":{"tdd_mode":true}}')
    expect(await ask('--active-cap', 'tdd')).toMatchObject({ status: 0, stdout: 'true\n' })
    expect(await ask('--active-cap=tdd', '--raw')).toMatchObject({ status: 0, stdout: 'true\n' })
    expect(await ask('--active-cap', 'tdd', '--set', 'workflow.tdd_mode=false')).toMatchObject({ stdout: 'false\n' })
    expect(await ask('--active-cap', 'none')).toMatchObject({ status: 0, stdout: 'false\n' })
    expect((await ask('--active-cap', 'tdd', '--json')).json).toMatchObject({ data: { capId: 'tdd', active: true } })
    expect(await ask('--active-cap')).toMatchObject({ status: 2 })
    expect(await gsd('loop', 'render', '--all', '--active-cap', 'tdd')).toMatchObject({ status: 2 })
  })

  it('names the folder to work in with --cwd, before or behind the command', async () => {
    machine.put('other/.git/HEAD', '')
    machine.put('other/.planning/config.json', '{"workflow":{"research":false}}')
    const other = join(machine.root, 'other')
    const command = ['loop', 'render-hooks', 'plan:pre', '--raw']
    const capabilities = async (args: readonly string[], cwd?: string) =>
      (
        JSON.parse((await machine.gsd(args, cwd === undefined ? {} : { cwd })).stdout).activeHooks as {
          capId: string
        }[]
      ).map(({ capId }) => capId)
    const inOther = await capabilities(command, other)
    expect(inOther).not.toContain('research')
    expect(await capabilities([...command, '--cwd', other])).toEqual(inOther)
    expect(await capabilities(['--cwd', '../other', ...command])).toEqual(inOther)
    expect(await capabilities([...command, '--cwd', ''])).toContain('research')
    expect(await gsd(...command, '--cwd', 'none')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--cwd'),
    })
  })

  it('passes --config-dir on, set or not', async () => {
    const value = `--config-dir=${join(machine.home, '.claude')}`
    expect(await gsd('loop', 'render-hooks', 'plan:pre', '--raw', value)).toMatchObject({ status: 0 })
    expect(await gsd('capability', 'state', '--config-dir', '')).toMatchObject({ status: 0 })
    const set = ['capability', 'set', 'ui', '--gate', 'workflow.ui_safety_gate=false', value, '--runtime', 'claude']
    expect(await gsd(...set)).toMatchObject({ status: 0 })
    expect(config()).toContain('ui_safety_gate')
  })

  it.each([['{bad'], ['{"kind":"nothing"}'], ['[]'], ['{"kind":"artifact-exists"}']])(
    'ends with 2 for the predicate %s',
    async (predicate) => {
      expect(await gsd('check', 'predicate', '--predicate', predicate, '--raw')).toMatchObject({
        status: 2,
        stdout: '',
      })
    },
  )

  it('ends with 2 for a point that is none, with the nearest one', async () => {
    const { status, stderr } = await gsd('loop', 'render-hooks', 'plan:per', '--raw')
    expect(status).toBe(2)
    expect(stderr).toContain('plan:pre')
  })
})

describe('gsd loop', () => {
  it('renders all points at once, and none without being asked', async () => {
    const { json } = await gsd('loop', 'render', '--all', '--json')
    expect((json.data['points'] as readonly { point: string }[]).map(({ point }) => point)).toHaveLength(12)
    expect(await gsd('loop', 'render')).toMatchObject({ status: 2 })
    expect(await gsd('loop', 'render', 'plan:pre', '--all')).toMatchObject({ status: 2 })
  })

  it('prints nothing on stdout for a point where nothing is active', async () => {
    expect(await gsd('loop', 'render', 'execute:pre')).toMatchObject({ status: 0, stdout: '' })
  })

  it('takes configuration for one call', async () => {
    const { json } = await gsd('loop', 'points', 'plan:pre', '--json', '--set', 'workflow.research=false')
    const [point] = json.data['points'] as readonly { hooks: readonly Record<string, unknown>[] }[]
    expect(point?.hooks).toContainEqual({
      capId: 'research',
      kind: 'step',
      target: 'agent gsd-phase-researcher',
      configured: false,
      active: false,
      reason: 'the key "workflow.research" is false (call)',
    })
  })

  it('judges runtimes where one is named, and refuses an unknown one', async () => {
    const { json } = await gsd('capability', 'state', 'claude-orchestration', '--runtime', 'codex', '--json')
    expect(json.data['capabilities']).toMatchObject([{ compatible: false, active: false }])
    expect(await gsd('loop', 'points', '--runtime', 'cluade')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('claude'),
    })
  })

  it('warns of a GSD_RUNTIME that is no host runtime, with the nearest one', async () => {
    const run = await machine.gsd(['loop', 'render', 'plan:pre', '--json'], { env: { GSD_RUNTIME: 'cluade' } })
    expect(run).toMatchObject({ status: 0, json: { warnings: [{ code: 'HOST_UNKNOWN_RUNTIME' }] } })
    expect(run.stderr).toContain('export GSD_RUNTIME=claude')
    for (const env of [{ GSD_RUNTIME: 'claude' }, { GSD_RUNTIME: '' }])
      expect((await machine.gsd(['loop', 'render', 'plan:pre', '--json'], { env })).json.warnings).toEqual([])
    const named = await machine.gsd(['loop', 'points', '--runtime', 'claude', '--json'], { env: { GSD_RUNTIME: 'x' } })
    expect(named.json.warnings).toEqual([])
  })

  it('shows your own defaults with --global, without what the project sets', async () => {
    machine.put('project/.planning/config.json', '{"mode":"yolo"}')
    expect((await gsd('config', 'set', 'mode', 'interactive', '--global')).status).toBe(0)
    const get = async (...more: readonly string[]) => (await gsd('config', 'get', 'mode', ...more)).stdout.trim()
    expect(await get()).toBe('yolo')
    expect(await get('--global')).toBe('interactive')
    expect(await get('--scope', 'global')).toBe('interactive')
    const { json } = await gsd('config', 'list', '--global', '--json')
    const keys = json.data['keys'] as readonly { key: string; origin: string }[]
    expect(keys.find(({ key }) => key === 'mode')).toMatchObject({ value: 'interactive', origin: 'user' })
    expect(keys.filter(({ origin }) => origin === 'project')).toEqual([])
  })

  it('exits with 3 where a gate blocks, with its report as data', async () => {
    const run = await gsd('loop', 'gate', 'ship:pre', '--json')
    expect(run).toMatchObject({
      status: 3,
      json: { ok: true, data: { point: 'ship:pre', blocked: true, lostGates: [] } },
    })
    machine.put('project/.planning/p/01-SECURITY.md', '---\nthreats_open: 0\n---\n')
    expect(await gsd('loop', 'gate', 'ship:pre', '--phase-dir', '.planning/p')).toMatchObject({ status: 0 })
  })

  it('says which gates are lost, and exits with 3 for them only when it is asked to be strict', async () => {
    machine.bundle('guard', { gates: [{ point: 'plan:pre', check: { query: 'x' }, blocking: true, onError: 'halt' }] })
    await gsd('capability', 'install', join(machine.root, 'bundles/guard'), '--yes')
    expect((await gsd('loop', 'render', 'plan:pre', '--json')).json.data['lostGates']).toEqual([])
    writeFileSync(join(machine.home, '.gsd/capabilities/guard/capability.json'), '')
    const run = await gsd('loop', 'render', 'plan:pre', '--raw')
    expect(JSON.parse(run.stdout).lostGates).toMatchObject([{ capability: 'guard', gate: 'query x' }])
    expect(run.stderr).toContain('OVERLAY_GATE_LOST')
    expect(await gsd('loop', 'gate', 'plan:pre')).toMatchObject({ status: 0 })
    expect(await gsd('loop', 'gate', 'plan:pre', '--strict')).toMatchObject({ status: 3 })
  })

  it('runs no command under --dry-run', async () => {
    const gate = {
      point: 'plan:pre',
      check: { predicate: { kind: 'command-exit-zero', command: 'touch ran' } },
      blocking: true,
      onError: 'halt',
    }
    machine.bundle('runner', { gates: [gate] })
    await gsd('capability', 'install', join(machine.root, 'bundles/runner'), '--yes')
    await gsd('loop', 'gate', 'plan:pre', '--only', 'runner', '--dry-run')
    expect(existsSync(join(machine.project, 'ran'))).toBe(false)
    expect(await gsd('loop', 'gate', 'plan:pre', '--only', 'runner')).toMatchObject({ status: 0 })
    expect(existsSync(join(machine.project, 'ran'))).toBe(true)
  })
})

describe('gsd config', () => {
  it('shows a value with its owner and origin', async () => {
    expect(await gsd('config', 'get', 'mode')).toMatchObject({ status: 0, stdout: 'interactive\n' })
    const { json } = await gsd('config', 'get', 'workflow.research', '--json')
    expect(json.data['keys']).toEqual([
      {
        key: 'workflow.research',
        value: true,
        type: 'boolean',
        owner: 'research',
        origin: 'default',
        file: null,
        line: null,
      },
    ])
  })

  it('writes in place and keeps what was typed', async () => {
    machine.put('project/.planning/config.json', '{\n  // ours\n  "mode": "yolo",\n}\n')
    expect(await gsd('config', 'set', 'workflow.research', 'false')).toMatchObject({ status: 0 })
    expect(config()).toBe('{\n  // ours\n  "mode": "yolo",\n  "workflow": {\n    "research": false\n  },\n}\n')
    expect(await gsd('config', 'get', 'workflow.research')).toMatchObject({ stdout: 'false\n' })
    await gsd('config', 'unset', 'workflow.research')
    expect(await gsd('config', 'get', 'workflow.research')).toMatchObject({ stdout: 'true\n' })
    expect(config()).toContain('// ours')
  })

  it('makes the file, and writes nothing under --dry-run', async () => {
    await gsd('config', 'set', 'mode', 'yolo', '--dry-run')
    expect(existsSync(join(machine.project, '.planning'))).toBe(false)
    await gsd('config', 'set', 'mode', 'yolo')
    expect(config()).toBe('{\n  "mode": "yolo"\n}\n')
  })

  it('writes the user’s defaults with --global', async () => {
    expect(await gsd('config', 'set', 'mode', 'yolo', '--global')).toMatchObject({ status: 0 })
    expect(JSON.parse(readFileSync(join(machine.home, '.gsd/config.json'), 'utf8'))).toEqual({
      defaults: { mode: 'yolo' },
    })
    expect((await gsd('config', 'get', 'mode', '--json')).json.data['keys']).toMatchObject([
      { value: 'yolo', origin: 'user' },
    ])
  })

  it('lets twenty writers at once lose nothing', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => `features.${name}`)
    await Promise.all(keys.map((key) => gsd('config', 'set', key, 'true')))
    expect(Object.keys(JSON.parse(config()).features)).toHaveLength(keys.length)
  })

  it.each([
    [['workflow.reserch', 'false'], 2, /did you mean workflow\.research/],
    [['workflow.research', 'maybe'], 2, /boolean/],
    [['mode', 'fast'], 2, /interactive, yolo/],
    [['workflow.node_repair_budget', 'NaN'], 2, /number/],
    [['claude_orchestration.execution_backend', 'inline'], 3, /not active/],
  ])('refuses to set %j', async (args, status, message) => {
    const run = await gsd('config', 'set', ...args)
    expect(run).toMatchObject({ status })
    expect(run.stderr).toMatch(message)
    expect(existsSync(join(machine.project, '.planning'))).toBe(false)
  })

  it('sets a key of an inactive capability with --force, and the key that activates it without', async () => {
    expect(await gsd('config', 'set', 'claude_orchestration.execution_backend', 'inline', '--force')).toMatchObject({
      status: 0,
    })
    expect(await gsd('config', 'set', 'claude_orchestration.enabled', 'true')).toMatchObject({ status: 0 })
  })

  it.each([
    ['half an object', '{"mode":'],
    ['a list', '[]'],
    ['an object where a value must hold one', '{"workflow": 3}'],
  ])('refuses to write into %s, and leaves it', async (_title, text) => {
    machine.put('project/.planning/config.json', text)
    expect(await gsd('config', 'set', 'workflow.research', 'false')).toMatchObject({ status: 4 })
    expect(config()).toBe(text)
  })

  it('refuses a link that leads out of the project', async () => {
    const { symlinkSync } = await import('node:fs')
    machine.put('outside.json', '{}')
    mkdirSync(join(machine.project, '.planning'))
    symlinkSync(join(machine.root, 'outside.json'), join(machine.project, '.planning/config.json'))
    expect(await gsd('config', 'set', 'mode', 'yolo')).toMatchObject({ status: 4 })
    expect(readFileSync(join(machine.root, 'outside.json'), 'utf8')).toBe('{}')
  })

  it('prints a schema that accepts what it writes and refuses what it would not', async () => {
    const { Ajv2020 } = await import('ajv/dist/2020.js')
    const schema = JSON.parse((await gsd('config', 'schema')).stdout)
    const validate = new Ajv2020({ strict: false }).compile(schema)
    expect(validate({ mode: 'yolo', workflow: { research: false }, 'git.create_tag': true })).toBe(true)
    for (const wrong of [{ mode: 'fast' }, { workflow: { research: 'no' } }, { 'git.create_tag': 1 }])
      expect(validate(wrong)).toBe(false)
  })
})

describe('gsd capability set', () => {
  it('writes a boolean key of the capability and of no other', async () => {
    expect(await gsd('capability', 'set', 'ui', '--gate', 'workflow.ui_review=false')).toMatchObject({ status: 0 })
    expect(JSON.parse(config())).toEqual({ workflow: { ui_review: false } })
    expect(await gsd('capability', 'set', 'ui', '--gate', 'workflow.research=false')).toMatchObject({ status: 2 })
    expect(await gsd('capability', 'set', 'ui', '--gate', 'workflow.ui_review=no')).toMatchObject({ status: 2 })
    expect(await gsd('capability', 'set', 'iu', '--gate', 'workflow.ui_review=true')).toMatchObject({ status: 4 })
    expect(await gsd('capability', 'set', 'ui')).toMatchObject({ status: 2 })
  })
})

describe('a command family', () => {
  const install = async (router: string) => {
    machine.bundle(
      'helper',
      { commands: [{ family: 'greet', module: 'router.cjs', router: 'route' }] },
      { 'router.cjs': router },
    )
    return gsd('capability', 'install', join(machine.root, 'bundles/helper'), '--yes')
  }

  it('runs by its name, with what stands behind it unchanged', async () => {
    await install('exports.route = (input) => { console.log(JSON.stringify(input.args), input.json); return 7 }')
    expect(await gsd('--json', 'greet', '--json', 'install', '--', '-x')).toMatchObject({
      status: 7,
      stdout: '["--json","install","--","-x"] true\n',
    })
    expect(await gsd('greet', '--help')).toMatchObject({ status: 7, stdout: '["--help"] false\n' })
  })

  it('exits with 5 where it fails, and takes a time limit before its name', async () => {
    await install('exports.route = () => new Promise(() => setInterval(() => {}, 1000))')
    expect(await gsd('--timeout', '0.5', 'greet')).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('OVERLAY_FAMILY_FAILED'),
    })
    expect(await gsd('--timeout', 'x', 'greet')).toMatchObject({ status: 2 })
    expect(await gsd('--dry-run', 'greet')).toMatchObject({ status: 2 })
  })

  it('of GSD Core is named as such', async () => {
    expect(await gsd('audit-uat')).toMatchObject({ status: 3, stderr: expect.stringContaining('GSD Core') })
  })

  it('that nobody has is a mistyped command', async () => {
    expect(await gsd('capabilty', 'list')).toMatchObject({ status: 2, stderr: expect.stringContaining('capability') })
  })
})

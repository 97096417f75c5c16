import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { waitForExit, GSD, type Machine, makeMachine } from '../helpers/gsd.ts'
import { runOnTerminal, plainText } from '../helpers/terminal.ts'

let machine: Machine

beforeAll(() => {
  machine = makeMachine()
})
afterAll(() => machine.remove())

describe('the built gsd', () => {
  it('prints its version', async () => {
    const run = await machine.gsd(['--version'])
    expect(run).toMatchObject({ status: 0, stdout: `gsd-capability ${packageJson.version} (GSD 1.14.0)\n`, stderr: '' })
    expect((await machine.gsd(['--version', '--json'])).json).toEqual({
      ok: true,
      data: { version: packageJson.version, contract: '1.14.0' },
      warnings: [],
    })
  })

  it("has prewritten answers equal to the program's own", async () => {
    for (const argument of ['--version', '--help', '-h'])
      expect((await machine.gsd([argument])).stdout).toBe((await machine.gsd([argument, '--no-color'])).stdout)
  })

  it.each([
    [['--help'], 'gsd help specs'],
    [[], 'gsd help specs'],
    [['capability', '-h'], 'Common flags'],
    [['cap', 'list', '--help'], 'gsd capability list [flags]'],
    [['help', 'capability', 'list'], 'gsd capability list [flags]'],
    [['help', 'list'], 'gsd capability list [flags]'],
    [['help', 'specs'], 'npm:<name>'],
    [['help', 'scopes'], '--project <dir>'],
    [['help', 'environment'], 'GSD_HOME'],
    [['help', 'exit-statuses'], 'INTEGRITY_MISMATCH'],
  ])('prints help with %j', async (argv, text) => {
    const run = await machine.gsd(argv)
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toContain(text)
    expect((await machine.gsd([...argv, '--json'])).json).toMatchObject({
      ok: true,
      data: { help: expect.stringContaining(text) },
    })
  })

  it('has no help on an unknown topic, and suggests the nearest', async () => {
    const run = await machine.gsd(['help', 'spec'])
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toContain('gsd help specs')
    expect((await machine.gsd(['help', 'capability', 'lst'])).stderr).toContain('gsd capability list')
    expect((await machine.gsd(['help', 'specs', 'more'])).status).toBe(2)
  })

  it('reports a usage error on stderr, and with --json on stdout too, as one document', async () => {
    const run = await machine.gsd(['capability', 'lst'])
    expect(run).toMatchObject({ status: 2, stdout: '' })
    expect(run.stderr).toContain('did you mean gsd capability list?')
    const json = await machine.gsd(['capability', 'lst', '--json'])
    expect(json.status).toBe(2)
    expect(json.json).toEqual({
      ok: false,
      error: {
        code: 'USAGE_UNKNOWN_COMMAND',
        message: expect.stringContaining('"lst"'),
        hint: 'did you mean gsd capability list?',
        details: { typed: 'lst', suggestion: 'gsd capability list' },
      },
      warnings: [],
    })
  })

  it('lists the first-party capabilities, as a table and as JSON', async () => {
    const run = await machine.gsd(['capability', 'list'])
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toMatch(/^ui +\d+\.\d+\.\d+ +first-party +active$/m)
    const { json } = await machine.gsd(['cap', 'list', '--json'])
    expect(json.data['capabilities']).toContainEqual(
      expect.objectContaining({
        id: 'ui',
        scope: 'first-party',
        status: 'active',
        code: null,
        reason: null,
        source: null,
        hosts: [],
      }),
    )
  })

  it('writes JSON on one line when stdout is not a terminal', async () => {
    expect((await machine.gsd(['cap', 'list', '--json'])).stdout.split('\n')).toHaveLength(2)
  })

  it('changes nothing in a home by reading', async () => {
    const run = await machine.gsd(['capability', 'list', '--verbose'])
    expect(run.status).toBe(0)
    expect((await waitForExit(spawn('find', [machine.home], { stdio: ['ignore', 'pipe', 'pipe'] }))).stdout).toBe(
      `${machine.home}\n`,
    )
  })
})

describe('the project', () => {
  it('must be an existing folder when it is named', async () => {
    for (const dir of [join(machine.root, 'none'), GSD]) {
      const run = await machine.gsd(['capability', 'list', '--project', dir, '--json'])
      expect(run.status).toBe(2)
      expect(run.json.error.message).toContain(dir)
    }
  })

  it('is required when the project scope is named', async () => {
    const cwd = join(machine.root, 'nowhere')
    mkdirSync(cwd)
    const run = await machine.gsd(['capability', 'list', '--scope', 'project', '--json'], { cwd })
    expect(run.status).toBe(2)
    expect(run.json.error.code).toBe('USAGE_NO_PROJECT')
    expect((await machine.gsd(['capability', 'list'], { cwd })).status).toBe(0)
  })
})

describe('an odd environment', () => {
  it('without HOME falls back to the home of the account', async () => {
    const run = await waitForExit(
      spawn(process.execPath, [GSD, 'capability', 'list', '--json'], {
        cwd: machine.project,
        env: { PATH: machine.env['PATH'], GSD_HOME: machine.home },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    expect(run.status).toBe(0)
  })

  it('with a relative HOME is refused', async () => {
    const run = await machine.gsd(['capability', 'list', '--json'], { env: { HOME: 'here' } })
    expect(run.status).toBe(2)
    expect(run.json.error.message).toContain('"here"')
  })

  it('whose working directory was deleted still works', async () => {
    const deleted = mkdtempSync(join(tmpdir(), 'gsd-gone-'))
    const script = `rmdir "$PWD" && exec "$@"`
    const run = await waitForExit(
      spawn('sh', ['-c', script, 'sh', process.execPath, GSD, 'capability', 'list', '--json'], {
        cwd: deleted,
        env: machine.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    expect(run).toMatchObject({ status: 0 })
    expect(run.json.ok).toBe(true)
  })

  it('with an invalid version is refused, wherever the user set it', async () => {
    const flag = await machine.gsd(['capability', 'list', '--host-version', 'new', '--json'])
    const variable = await machine.gsd(['capability', 'list', '--json'], { env: { GSD_VERSION: 'new' } })
    for (const run of [flag, variable])
      expect(run).toMatchObject({ status: 2, json: { error: { code: 'USAGE_BAD_VALUE' } } })
  })

  it('with a nonsense VERSION file gives a warning, on stderr and in the document', async () => {
    const own = makeMachine()
    mkdirSync(join(own.project, 'gsd-core'))
    writeFileSync(join(own.project, 'gsd-core/VERSION'), 'nonsense\n')
    const run = await own.gsd(['capability', 'list', '--json'])
    own.remove()
    expect(run.status).toBe(0)
    expect(run.json.warnings).toEqual([
      expect.objectContaining({ severity: 'warning', message: expect.stringContaining('nonsense') }),
    ])
    expect(run.stderr).toContain('nonsense')
  })
})

describe('streams', () => {
  it('whose reader closes them early cause no error', async () => {
    const run = await waitForExit(
      spawn(
        'sh',
        ['-c', '{ "$@"; echo "status $?" >&2; } | true', 'sh', process.execPath, GSD, 'help', 'exit-statuses'],
        {
          env: machine.env,
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      ),
    )
    expect(run.stderr).toBe('status 0\n')
  })

  it('that cannot be written are an error', async () => {
    const full = openSync('/dev/full', 'w')
    const run = await waitForExit(
      spawn(process.execPath, [GSD, 'capability', 'list'], {
        cwd: machine.project,
        env: machine.env,
        stdio: ['ignore', full, 'pipe'],
      }),
    )
    closeSync(full)
    expect(run.status).toBe(5)
    expect(run.stderr).toContain('STATE_DISK_FULL')
  })

  it('closed from the start are no error', async () => {
    const run = await waitForExit(
      spawn('sh', ['-c', '"$@" >&- 2>&-; echo "status $?"', 'sh', process.execPath, GSD, '--version'], {
        env: machine.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    expect(run.stdout).toBe('status 0\n')
  })

  it('have colours on a terminal, and none when they are turned off', async () => {
    const colours = '\u001b['
    expect((await runOnTerminal(machine, ['capability', 'list'])).screen).toContain(colours)
    expect((await runOnTerminal(machine, ['capability', 'list', '--no-color'])).screen).not.toContain(colours)
    expect((await runOnTerminal(machine, ['capability', 'list'], { env: { NO_COLOR: '1' } })).screen).not.toContain(
      colours,
    )
    expect((await runOnTerminal(machine, ['capability', 'list'], { env: { TERM: 'dumb' } })).screen).not.toContain(
      colours,
    )
    expect((await machine.gsd(['capability', 'list'])).stdout).not.toContain(colours)
  })

  it('fit the window on a terminal', async () => {
    const { screen, status } = await runOnTerminal(machine, ['capability', 'list', '--verbose'], { columns: 100 })
    expect(status).toBe(0)
    expect(
      Math.max(
        ...plainText(screen)
          .split('\r\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(100)
  })

  it('show indented JSON on a terminal', async () => {
    expect((await runOnTerminal(machine, ['--version', '--json'])).screen).toContain('\r\n  "ok": true')
  })
})

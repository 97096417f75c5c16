import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hostHooks } from '../../../src/host/hooks/host-hooks.ts'
import { hostServers } from '../../../src/host/hooks/host-servers.ts'
import { RUNTIMES } from '../../../src/host/runtimes/built-in-runtimes.ts'
import type { HostRuntime } from '../../../src/host/runtimes/runtime.ts'
import { capabilityWith } from '../../helpers/feature-manifest.ts'
import { planAndApply } from '../../helpers/host-edits.ts'

const HOSTILE = ['with space', "it's", '$HOME', '`touch pwned`', 'ünïcödé 文', '-rf', '"a" && b; c\\d', 'new\nline']
const FILES = [
  { path: 'hooks/run.sh', shebang: true },
  { path: 'hooks/run.cjs', shebang: false },
]

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-commands-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A bundle below a folder of that name, whose scripts print their path. */
const bundleIn = (name: string): string => {
  const dir = join(root, name, 'guard')
  mkdirSync(join(dir, 'hooks'), { recursive: true })
  writeFileSync(join(dir, 'hooks/run.sh'), '#!/bin/sh\nprintf %s "$0"\n')
  chmodSync(join(dir, 'hooks/run.sh'), 0o755)
  writeFileSync(join(dir, 'hooks/run.cjs'), 'process.stdout.write(__filename)')
  return dir
}

const run = (command: string): string => execFileSync('sh', ['-c', command], { cwd: '/', encoding: 'utf8' })

/** Every command in a host's file, as the host's own parser reads it. */
const commandsIn = (text: string, { surface }: HostRuntime): string[] => {
  if (surface === 'cline-rules') {
    const file = join(root, 'PreToolUse')
    writeFileSync(file, text)
    chmodSync(file, 0o755)
    return [`'${file}'`]
  }
  const found: string[] = []
  const stat = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'command') found.push(String(inner))
      else stat(inner)
    }
  }
  stat(surface === 'kimi-hooks-toml' ? parse(text) : JSON.parse(text))
  return found
}

const wired = RUNTIMES.filter(({ surface }) => surface !== 'none')

describe.each(wired.map((runtime) => [runtime.id, runtime] as const))(
  'a hook command written for %s',
  (id, runtime) => {
    it.each(HOSTILE)('runs from another folder when the bundle path is %j', (name) => {
      const dir = bundleIn(name)
      const scripts = runtime.commandForm === 'path' || id === 'cline' ? ['run.sh'] : ['run.sh', 'run.cjs']
      for (const script of scripts) {
        const manifest = capabilityWith('guard', [{ event: 'PreToolUse', script: `hooks/${script}` }])
        const { hooks } = hostHooks(manifest, runtime, { dir, files: FILES })
        const { text } = planAndApply(
          { text: null, record: null },
          { id: 'guard', add: hooks, surface: runtime.surface, runtime: id },
        )
        const commands = commandsIn(text ?? '', runtime)
        expect(commands.length).toBeGreaterThan(0)
        for (const command of commands) expect(run(command)).toBe(join(dir, 'hooks', script))
      }
    })
  },
)

describe.each(RUNTIMES.flatMap((runtime) => (runtime.mcp === undefined ? [] : [[runtime.id, runtime] as const])))(
  'a server written for %s',
  (id, { mcp, ...runtime }) => {
    it.each(HOSTILE)('starts without a shell when the bundle path is %j', (name) => {
      if (mcp === undefined) throw new Error(id)
      const dir = bundleIn(name)
      const mcpServers = { a: { command: './hooks/run.sh' }, b: { command: 'hooks/run.cjs' } }
      const { servers } = hostServers(
        capabilityWith('guard', [], { mcpServers }),
        { ...runtime, mcp },
        {
          dir,
          files: [
            { path: 'hooks/run.sh', executable: true },
            { path: 'hooks/run.cjs', executable: false },
          ],
        },
      )
      const { text } = planAndApply(
        { text: null, record: null },
        { id: 'guard', add: servers, surface: mcp.surface, runtime: id },
      )
      const parsed = (mcp.surface === 'mcp-servers-toml' ? parse(text ?? '') : JSON.parse(text ?? '')) as Record<
        string,
        Record<string, { readonly command: string | readonly string[]; readonly args?: readonly string[] }>
      >
      const all = Object.values(parsed['mcpServers'] ?? parsed['mcp_servers'] ?? parsed['mcp'] ?? {})
      const run = ([program = '', ...args]: readonly string[]): string =>
        execFileSync(program, args, { cwd: '/', encoding: 'utf8' })
      expect(all.map(({ command, args = [] }) => run([...[command].flat(), ...args]))).toEqual([
        join(dir, 'hooks/run.sh'),
        join(dir, 'hooks/run.cjs'),
      ])
    })
  },
)

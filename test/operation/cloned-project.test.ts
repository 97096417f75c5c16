import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { verify } from '../../src/operation/verify.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import { doctorIn, fixIn, grantIn, installIn, removeIn, syncIn } from '../helpers/operations.ts'
import { consentPrompt, useScratch } from '../helpers/scratch.ts'
import { makeTestContext } from '../helpers/test-context.ts'
import { treeOf } from '../helpers/tree.ts'

const scratch = useScratch('gsd clone ')

const LOCAL = { local: { command: './run.sh' } }
/** A server that names no path is known by the manifest alone, so without the bundle nobody can say whose it is. */
const PATHLESS = { guard: { command: 'node', args: ['server.js'] } }

const PARTS = {
  manifest: { skills: ['guard'], mcpServers: { ...PATHLESS, ...LOCAL } },
  files: {
    'run.sh': '#!/bin/sh\n',
    'server.js': '',
    'skills/guard/SKILL.md': '---\nname: guard\ndescription: A skill.\n---\n',
  },
}

/** Host → its files in a project, each with a text of the user where one is given. */
const HOSTS: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  claude: {
    '.claude/settings.local.json': '{\n  "model": "x"\n}\n',
    '.mcp.json': '{\n  "mcpServers": {\n    "mine": { "command": "x" }\n  }\n}\n',
  },
  codex: { '.codex/hooks.json': null, '.codex/config.toml': 'model = "x"\n' },
  cursor: { '.cursor/hooks.json': null, '.cursor/mcp.json': null },
  qwen: { '.qwen/settings.json': '{ "theme": "dark" }\n' },
  windsurf: { '.windsurf/hooks.json': null },
  copilot: { '.github/hooks/gsd-guard.json': null },
}

const DISK_WITHOUT_SYNC = { fsyncSync: () => undefined, syncAll: () => Promise.resolve() }

const contextAt = (root: string): Context => {
  const { context } = makeTestContext(root)
  return { ...context, disk: { ...context.disk, ...DISK_WITHOUT_SYNC } }
}

/** A project in which a capability was installed and committed; the clone has another path, another home, and no bundle. */
const cloneOf = async (
  host: string,
  { bundles = false, pathless = true } = {},
): Promise<{ context: Context; project: string }> => {
  for (const [file, text] of Object.entries(HOSTS[host] ?? {}))
    if (text !== null) scratch.put(join('project', file), text)
  const manifest = { ...PARTS.manifest, mcpServers: pathless ? PARTS.manifest.mcpServers : LOCAL }
  const bundle = scratch.bundle('guard', { ...PARTS, manifest, to: 'project/caps/guard' })
  await installIn(contextAt(scratch.root), bundle, { scope: 'project', runtimes: [host] })
  const there = scratch.path('there')
  mkdirSync(there)
  renameSync(scratch.project, join(there, 'project'))
  rmSync(scratch.home, { recursive: true })
  for (const folder of bundles ? ['receipts'] : ['receipts', 'capabilities'])
    rmSync(join(there, 'project/.gsd', folder), { recursive: true, force: true })
  return { context: contextAt(there), project: join(there, 'project') }
}

const textsOf = (project: string, host: string): string =>
  Object.keys(HOSTS[host] ?? {})
    .filter((file) => existsSync(join(project, file)))
    .map((file) => readFileSync(join(project, file), 'utf8'))
    .join('')

const timesIn = (text: string, part: string): number => text.split(part).length - 1

const expectUserTexts = (project: string, host: string): void => {
  for (const [file, text] of Object.entries(HOSTS[host] ?? {}))
    expect([file, existsSync(join(project, file)) ? readFileSync(join(project, file), 'utf8') : null]).toEqual([
      file,
      text,
    ])
}

describe.each(Object.keys(HOSTS))('a project cloned from another machine, wired into %s', (host) => {
  test('after a grant every entry leads into the clone, once, and doctor finds nothing', async () => {
    const { context, project } = await cloneOf(host)
    const before = textsOf(project, host)
    await recoverAllScopes(context)
    await syncIn(context, { scope: 'project', consentPrompt: consentPrompt(false) }).catch(() => undefined)
    await grantIn(context, 'guard')
    const after = textsOf(project, host)
    expect(after).not.toContain(`${scratch.project}/`)
    expect(timesIn(after, `${project}/.gsd/`)).toBe(timesIn(before, `${scratch.project}/.gsd/`))
    expect((await doctorIn(context)).findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(verify(context, { ids: [], scope: 'project' }).capabilities.map(({ ok }) => ok)).toEqual([true])
    await removeIn(context, 'guard', { scope: 'project' })
    expectUserTexts(project, host)
  })

  test.each([true, false])(
    'remove takes every entry out before anything was trusted here (bundles committed: %s)',
    async (bundles) => {
      const { context, project } = await cloneOf(host, { bundles, pathless: bundles })
      await recoverAllScopes(context)
      await removeIn(context, 'guard', { scope: 'project' })
      expectUserTexts(project, host)
    },
  )

  test('doctor names the entries that lead elsewhere, and doctor --fix takes them out', async () => {
    const { context, project } = await cloneOf(host, { bundles: true })
    await recoverAllScopes(context)
    expect((await doctorIn(context)).findings.map(({ code }) => code)).toContain('STATE_DRIFT')
    await fixIn(context)
    expect(textsOf(project, host)).not.toContain(`${scratch.project}/`)
  })
})

test('a copy of a cloned project on one machine keeps the entries of the first', async () => {
  const { context, project } = await cloneOf('claude', { bundles: true })
  await recoverAllScopes(context)
  const before = textsOf(project, 'claude')
  const second = scratch.path('there/second')
  cpSync(project, second, { recursive: true })
  const there = { ...makeTestContext(scratch.path('there'), { cwd: second }).context, disk: context.disk }
  await recoverAllScopes(there)
  await removeIn(there, 'guard', { scope: 'project' })
  expectUserTexts(second, 'claude')
  expect(textsOf(project, 'claude')).toBe(before)
})

test('a hook of the user that runs a script of the home from a project is not taken for one of a clone', async () => {
  const command = `'${scratch.home}/.gsd/capabilities/guard/hooks/run.sh'`
  const own = `${JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }, null, 2)}\n`
  const bundle = scratch.bundle('guard', { ...PARTS, to: 'project/caps/guard' })
  await installIn(contextAt(scratch.root), bundle, { scope: 'project', runtimes: ['codex'] })
  scratch.put('project/.claude/settings.local.json', own)
  rmSync(join(scratch.home, '.gsd/projects'), { recursive: true })
  const context = contextAt(scratch.root)
  await recoverAllScopes(context)
  await removeIn(context, 'guard', { scope: 'project' })
  expect(scratch.text('project/.claude/settings.local.json')).toBe(own)
  expect(treeOf(scratch.project).join('\n')).not.toContain('.codex/hooks.json')
})

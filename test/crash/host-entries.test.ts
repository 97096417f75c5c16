import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import { FULL } from '../helpers/full-run.ts'
import { everyKillPoint, type Scenario } from '../helpers/kill-points.ts'
import { installIn, removeIn, updateIn } from '../helpers/operations.ts'
import { bundleFiles } from '../helpers/scratch.ts'

let root = ''
beforeEach(() => {
  root = join(realpathSync(mkdtempSync(join(tmpdir(), 'gsd-crash-parts-'))), 'world')
})
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }))

const put = (path: string, text: string): void => {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** A capability with every kind of host entry. */
const bundle = (version: string): void => {
  const mcpServers = { tools: { command: 'npx', args: [version] }, [`v${version[0] ?? ''}`]: { command: 'npx' } }
  const files = {
    ...bundleFiles('one', { version, skills: ['look'], mcpServers }),
    'skills/look/SKILL.md': `---\nname: look\ndescription: Looks.\n---\n${version}\n`,
    'skills/look/more.md': 'more\n',
  }
  for (const [path, text] of Object.entries(files)) put(`bundles/one/${path}`, text)
}

const prepare = (): void => {
  for (const id of ['claude', 'codex'])
    cpSync(join(import.meta.dirname, '../../capabilities', id), join(root, 'first-party', id), { recursive: true })
  put('home/.claude.json', '{"n":1,"mcpServers":{}}')
  put('home/.codex/config.toml', 'model = "x"')
  bundle('1.0.0')
}

type Work = (context: Context) => unknown
const withoutFirstParty = (context: Context): Context => ({ ...context, firstParty: join(root, 'first-party') })
const install: Work = (context) => installIn(context, join(root, 'bundles/one'), { runtimes: ['claude', 'codex'] })

const scenario = (before: readonly Work[], run: Work): Scenario => ({
  prepare: async (context) => {
    prepare()
    for (const work of before) await work(withoutFirstParty(context))
  },
  run: async (context) => run(withoutFirstParty(context)),
  recover: recoverAllScopes,
})

const SCENARIOS: Readonly<Record<string, () => Scenario>> = {
  install: () => scenario([], install),
  update: () => scenario([install, () => bundle('2.0.0')], (context) => updateIn(context, 'one')),
  remove: () => scenario([install], (context) => removeIn(context, 'one')),
  'remove with an edited skill': () =>
    scenario([install, () => put('home/.claude/skills/gsd-look/SKILL.md', 'mine\n')], (context) =>
      removeIn(context, 'one'),
    ),
}

describe('hooks, servers and skills together', () => {
  test.each(Object.keys(SCENARIOS))('%s, killed at any call, is finished or undone byte for byte', async (name) => {
    const made = SCENARIOS[name]
    if (made === undefined) throw new Error(name)
    const { points } = await everyKillPoint(root, made(), { every: FULL ? 1 : 5 })
    expect(points).toBeGreaterThan(10)
  })
})

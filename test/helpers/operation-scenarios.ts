import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Code } from '../../src/codes.ts'
import type { Context } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import type { Scenario } from './kill-points.ts'
import {
  fixIn,
  grantIn,
  installIn,
  recoverAndLoad,
  removeIn,
  revokeIn,
  setEnabledIn,
  syncIn,
  updateIn,
} from './operations.ts'
import { bundleFiles } from './scratch.ts'

/** Settings as people write them: comments, tabs, an empty list, a trailing comma, no final newline. */
export const SETTINGS = '// mine\n{\n\t"model": "x",\n\t"hooks": { "Stop": [ ] }, \n}'

const HOSTS = { runtimes: ['claude', 'codex'] } as const

/** A warning about a skipped part counts as a refusal of that part. */
const throwSkipped = ([left]: readonly { readonly code: string; readonly message: string }[]): void => {
  if (left !== undefined) throw new GsdError(left.code as Code, left.message)
}

/** Every operation, over real bundles, as a scenario that can be killed. `root` is the root folder. */
export const operationScenarios = (root: string): Readonly<Record<string, Scenario>> => {
  const put = (path: string, text: string, mode?: number): void => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    if (mode !== undefined) chmodSync(file, mode)
  }
  const bundle = (id: string, manifest: Record<string, unknown> = {}, more: Readonly<Record<string, string>> = {}) => {
    for (const [path, text] of Object.entries({ ...bundleFiles(id, manifest), ...more }))
      put(`bundles/${id}/${path}`, text)
  }
  const at = (id: string): string => join(root, 'bundles', id)
  const settings = (): void => {
    put('home/.claude/settings.json', SETTINGS, 0o600)
    put('project/.claude/settings.local.json', SETTINGS)
  }
  const newer = (): void => {
    bundle('one', { version: '2.0.0', hooks: [{ event: 'Stop', script: 'hooks/run.sh' }] }, { 'notes/new.md': 'new\n' })
    appendFileSync(join(at('one'), 'hooks/run.sh'), 'echo more\n')
  }

  // A first-party set of one: composing a larger one takes time, and other tests do it.
  const firstParty = join(root, 'first-party')
  const base = (): void =>
    put('first-party/base/capability.json', bundleFiles('base', { hooks: [] })['capability.json'] ?? '')
  const withFirstParty = (context: Context): Context => ({ ...context, firstParty })

  type Work = (context: Context) => unknown
  const scenario = (prepare: readonly Work[], ...run: readonly Work[]): Scenario => ({
    prepare: async (context) => {
      base()
      for (const work of prepare) await work(withFirstParty(context))
    },
    run: run.map((work) => async (context: Context) => work(withFirstParty(context))),
    recover: recoverAllScopes,
    read: async (context) => {
      const { rows, warnings } = await recoverAndLoad(withFirstParty(context))
      return { rows, warnings }
    },
  })

  const one: Work = () => bundle('one')
  const three: Work = () => ['one', 'two', 'three'].forEach((id) => bundle(id))
  const install =
    (ids: readonly string[], scope: 'global' | 'project' = 'global'): Work =>
    (context) =>
      installIn(context, ids.map(at), { scope, ...HOSTS })
  const installed = (scope: 'global' | 'project' = 'global'): readonly Work[] => [
    settings,
    one,
    install(['one'], scope),
  ]

  return {
    'install the first capability, with settings of the user': scenario([settings, one], install(['one'])),
    'install the first capability in a project, with settings to be made': scenario([one], install(['one'], 'project')),
    'install several at once beside others': scenario(
      [settings, three, () => bundle('zero'), install(['zero'])],
      install(['three', 'one', 'two']),
    ),
    'install without a host': scenario([one], (context) => installIn(context, at('one'))),
    'install again with another host': scenario(installed(), (context) =>
      installIn(context, at('one'), { runtimes: ['qwen'] }),
    ),
    'take a capability from another source': scenario(
      [...installed(), () => bundle('other', { id: 'one', version: '3.0.0' })],
      (context) => installIn(context, at('other'), { replace: true }),
    ),
    update: scenario([...installed(), newer], (context) => updateIn(context, 'one')),
    'update over a file that was edited': scenario(
      [...installed(), newer, () => put('home/.gsd/capabilities/one/hooks/run.sh', '#!/bin/sh\n# mine\n')],
      (context) => updateIn(context, 'one', { force: true }),
    ),
    'update what made files in its folder': scenario(
      [...installed('project'), newer, () => put('project/.gsd/capabilities/one/data/log.txt', 'mine\n')],
      async (context) => {
        const { failed } = await updateIn(context, [], { scope: 'project' })
        throwSkipped(failed.map(({ error }) => error))
      },
    ),
    'remove the last capability': scenario(installed(), (context) => removeIn(context, 'one')),
    'remove the last capability of a project': scenario([one, install(['one'], 'project')], (context) =>
      removeIn(context, 'one', { scope: 'project' }),
    ),
    'remove one of several': scenario([settings, three, install(['one', 'two', 'three'])], (context) =>
      removeIn(context, 'two'),
    ),
    'remove several at once': scenario([settings, three, install(['one', 'two', 'three'])], (context) =>
      removeIn(context, ['three', 'one']),
    ),
    'remove what made files in its folder': scenario(
      [...installed(), () => put('home/.gsd/capabilities/one/data/log.txt', 'mine\n')],
      (context) => removeIn(context, 'one'),
    ),
    'remove it out of one host': scenario(installed(), (context) => removeIn(context, 'one', { runtime: 'codex' })),
    disable: scenario(installed(), (context) => setEnabledIn(context, 'disabled', 'one')),
    enable: scenario(
      [...installed('project'), (context) => setEnabledIn(context, 'disabled', 'one', { scope: 'project' })],
      (context) => setEnabledIn(context, 'enabled', 'one', { scope: 'project' }),
    ),
    'disable a first-party capability': scenario([], (context) => setEnabledIn(context, 'disabled', 'base')),
    'revoke consent': scenario(installed('project'), (context) => revokeIn(context, 'one')),
    'grant consent': scenario([...installed('project'), (context) => revokeIn(context, 'one')], (context) =>
      grantIn(context, 'one'),
    ),
    'sync a fresh clone': scenario(
      [
        ...installed('project'),
        () => rmSync(join(root, 'project/.gsd/capabilities'), { recursive: true }),
        () => rmSync(join(root, 'project/.gsd/receipts'), { recursive: true }),
        settings,
      ],
      (context) => restore(context),
    ),
    'sync over files that were edited': scenario(
      [...installed(), () => put('home/.gsd/capabilities/one/hooks/run.sh', '#!/bin/sh\n# mine\n')],
      (context) => restore(context, { force: true }),
    ),
    'mend what the doctor finds': scenario(
      [
        settings,
        three,
        install(['one', 'two', 'three']),
        ({ global }) => {
          const { capabilities, ...rest } = JSON.parse(readFileSync(global.ledger, 'utf8')) as {
            capabilities: Record<string, unknown>
          }
          const { one: _orphan, three: _gone, ...others } = capabilities
          writeFileSync(global.ledger, JSON.stringify({ ...rest, capabilities: others }))
          rmSync(join(global.capabilities, 'three'), { recursive: true })
        },
      ],
      async (context) => {
        const { findings, warnings } = await fixIn(context)
        // Fixed at once, or not at all. What it could not read or clean up afterwards may differ.
        if (!readFileSync(context.global.ledger, 'utf8').includes('"one"')) throwSkipped([...warnings, ...findings])
      },
    ),
    'install, update, disable, enable, remove': {
      ...scenario(
        [settings, three, install(['two'])],
        install(['one', 'three']),
        async (context) => {
          newer()
          await updateIn(context, 'one')
        },
        (context) => setEnabledIn(context, 'disabled', ['one', 'two']),
        (context) => setEnabledIn(context, 'enabled', 'one'),
        (context) => removeIn(context, ['two', 'one']),
        (context) => removeIn(context, 'three'),
      ),
      // The source changes during the operation.
      without: ['bundles'],
    },
  }
}

/** A sync that fails where it could not restore everything. */
const restore = async (context: Context, request: Parameters<typeof syncIn>[1] = {}): Promise<void> => {
  const { refusal } = await syncIn(context, request)
  if (refusal !== null) throw refusal
}

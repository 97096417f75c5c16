import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Context } from '../../src/context.ts'
import { openHostFile } from '../../src/host/edit/open-host-file.ts'
import { planHostEdit } from '../../src/host/edit/plan-edit.ts'
import { withDiskErrors } from '../../src/platform/disk-error.ts'
import { writeAll } from '../../src/platform/disk.ts'
import { ensureFolder } from '../../src/platform/folders.ts'
import type { Change } from '../../src/state/change.ts'
import { readHostRecords } from '../../src/state/host-records.ts'
import type { Json } from '../../src/state/json-text.ts'
import { jsonText } from '../../src/state/json-text.ts'
import { receiptText } from '../../src/state/receipts.ts'
import type { ScopePaths } from '../../src/state/scope-paths.ts'
import { unreadableError } from '../../src/state/stores.ts'
import { applyChanges } from '../../src/transaction/apply-changes.ts'
import { withLock } from '../../src/transaction/lock.ts'
import { newOperationName } from '../../src/transaction/operation-context.ts'
import { recoverInterrupted } from '../../src/transaction/recover.ts'
import { createStaging } from '../../src/transaction/staging.ts'
import type { Scenario } from './kill-points.ts'

/** An operation whose plan is written by hand, with one way to run it and one to recover from it. */
export interface JournalScenario extends Scenario {
  readonly run: (context: Context) => Promise<unknown>
}

const DIGEST = `sha512-${'A'.repeat(86)}==`
const entry = (version: string): Json => ({
  version,
  spec: './somewhere',
  resolved: { kind: 'local', path: '../somewhere' },
  integrity: null,
  digest: DIGEST,
  requires: [],
  surfaces: DIGEST,
  runtimes: ['claude'],
})
const consent = (version: string): Json => ({
  scope: 'global',
  project: null,
  id: 'demo',
  version,
  digest: DIGEST,
  surfaces: DIGEST,
  files: {},
  granted: '2030-01-01T00:00:00.000Z',
})

/** Writes a file through the disk of the context, so that a fault can affect it. */
const put = ({ disk }: Context, path: string, text: string): void => {
  ensureFolder(disk, dirname(path))
  withDiskErrors('write', path, () => {
    const fd = disk.openSync(path, 'wx', 0o644)
    try {
      writeAll(disk, fd, Buffer.from(text))
    } finally {
      disk.closeSync(fd)
    }
  })
}

const operate = (
  paths: (context: Context) => ScopePaths,
  staged: Readonly<Record<string, string>>,
  changes: (context: Context, paths: ScopePaths) => readonly Change[],
): Pick<JournalScenario, 'run' | 'recover'> => ({
  run: (context) => {
    const at = paths(context)
    return withLock(context, at, async () => {
      const operation = newOperationName(context)
      const staging = createStaging(context, at, operation)
      try {
        for (const [path, text] of Object.entries(staged)) put(context, join(staging.dir, path), text)
        const plan = { schema: 1 as const, operation, command: 'install demo', scope: at.scope, root: at.realRoot }
        await applyChanges(context, at, {
          ...plan,
          changes: withDiskErrors('plan', at.root, () => changes(context, at)),
        })
      } finally {
        staging.discard()
      }
    })
  },
  recover: (context) => withLock(context, paths(context), () => recoverInterrupted(context, paths(context))),
})

const SCOPES = {
  global: ({ global }: Context) => global,
  project: ({ project, global }: Context) => project ?? global,
} as const

const bundle = (text: string): Record<string, string> => ({
  'capabilities/demo/capability.json': `{"id":"demo","text":${JSON.stringify(text)}}\n`,
  'capabilities/demo/hooks/run.sh': `#!/bin/sh\necho ${text}\n`,
  'receipts/demo.json': receiptText('demo', DIGEST, []),
})

const swaps = (replaces: boolean, gone = false): Change[] => [
  { kind: 'swap', target: 'capabilities/demo', from: gone ? null : 'capabilities/demo', replaces },
  { kind: 'swap', target: 'receipts/demo.json', from: gone ? null : 'receipts/demo.json', replaces },
]

const records = (before: Json, after: Json, consentBefore: Json, consentAfter: Json): Change[] => [
  { kind: 'record', store: 'grants', key: ['grants', 'demo@global'], before: consentBefore, after: consentAfter },
  { kind: 'record', store: 'ledger', key: ['capabilities', 'demo'], before, after },
]

const SETTINGS = '// mine\n{\n\t"model": "x",\n\t"hooks": { "Stop": [ ] }, \n}\n'

const hookOf = (paths: ScopePaths) => {
  const script = join(paths.capabilities, 'demo/hooks/run.sh')
  return { event: 'PreToolUse', matcher: 'Bash', command: `'${script}'`, script }
}

const wire = (context: Context, paths: ScopePaths, file: string, on: boolean): Change[] => {
  const hooks = [hookOf(paths)]
  const record = on ? null : planned(context, paths, file)
  const { edit } = planHostEdit({
    host: openHostFile(context.disk, file),
    surface: 'settings-json',
    runtime: 'claude',
    id: 'demo',
    add: on ? hooks : [],
    remove: on ? [] : hooks,
    record,
  })
  return [
    { kind: 'host', edit },
    {
      kind: 'record',
      store: 'hosts',
      key: ['files', file],
      before: edit.recordBefore as Json,
      after: edit.recordAfter as Json,
    },
  ]
}

/** The record of the file in `hosts.json`: it was written by the preparation. */
const planned = (context: Context, paths: ScopePaths, file: string) => {
  const hosts = readHostRecords(context.disk, paths)
  if (hosts.state === 'unreadable') throw unreadableError(hosts.diagnostic)
  return hosts.state === 'ok' ? (hosts.value.files.get(file) ?? null) : null
}

const first = (scope: keyof typeof SCOPES, file: string): JournalScenario => ({
  prepare: () => undefined,
  ...operate(SCOPES[scope], bundle('one'), (context, paths) => [
    ...swaps(false),
    ...wire(context, paths, file, true),
    ...records(null, entry('1.0.0'), null, consent('1.0.0')),
  ]),
})

const after = (
  scenario: JournalScenario,
  next: Pick<JournalScenario, 'run' | 'recover'>,
  meanwhile?: () => void,
): JournalScenario => ({
  prepare: async (context, at) => {
    await scenario.prepare(context, at)
    await scenario.run(context)
    meanwhile?.()
  },
  ...next,
})

const withSettings = (scenario: JournalScenario, text = SETTINGS): JournalScenario => ({
  ...scenario,
  prepare: async (context, at) => {
    mkdirSync(join(at, 'home/.claude'))
    writeFileSync(join(at, 'home/.claude/settings.json'), text)
    chmodSync(join(at, 'home/.claude/settings.json'), 0o600)
    await scenario.prepare(context, at)
  },
})

const claude = (root: string): string => join(root, 'home/.claude/settings.json')

/** Every kind of change at least once, by its subject. Each is to be run in its own `root`. */
export const journalScenarios = (root: string): Readonly<Record<string, JournalScenario>> => ({
  'a first capability, with a settings file that has to be made': first('global', claude(root)),
  'a first capability in a project': first('project', claude(root)),
  'a first capability, with settings that are there': withSettings(first('global', claude(root))),
  'an update in place': after(
    withSettings(first('global', claude(root))),
    operate(SCOPES.global, bundle('two'), () => [
      ...swaps(true),
      ...records(entry('1.0.0'), entry('2.0.0'), consent('1.0.0'), consent('2.0.0')),
    ]),
  ),
  'a removal, with settings of ours': after(
    first('global', claude(root)),
    operate(SCOPES.global, {}, (context, paths) => [
      ...swaps(true, true),
      ...wire(context, paths, claude(root), false),
      ...records(entry('1.0.0'), null, consent('1.0.0'), null),
    ]),
    () => chmodSync(claude(root), 0o600),
  ),
  'a removal, with settings of the user': after(
    withSettings(first('project', claude(root))),
    operate(SCOPES.project, {}, (context, paths) => [
      ...swaps(true, true),
      ...wire(context, paths, claude(root), false),
      ...records(entry('1.0.0'), null, consent('1.0.0'), null),
    ]),
  ),
  'a consent next to files that were written by hand': {
    prepare: ({ user, global }) => {
      mkdirSync(global.gsd)
      const others = { schema: 1, grants: {}, note: 'mine' }
      writeFileSync(user.grants, `\uFEFF${JSON.stringify(others)}`, { mode: 0o640 })
      writeFileSync(global.ledger, JSON.stringify({ capabilities: {}, schema: 1 }, null, 8))
    },
    ...operate(SCOPES.global, bundle('one'), () => [
      ...swaps(false),
      ...records(null, entry('1.0.0'), null, consent('1.0.0')),
    ]),
  },
  'switching something off': {
    prepare: ({ global }) => {
      mkdirSync(global.gsd)
      writeFileSync(global.state, jsonText({ schema: 1, capabilities: { other: 'disabled' } }))
    },
    ...operate(SCOPES.global, {}, () => [
      { kind: 'record', store: 'state', key: ['capabilities', 'demo'], before: null, after: 'disabled' },
    ]),
  },
})

import type { Context } from '../../context.ts'
import type { ResolvedKey } from '../../loop/config/resolve-key.ts'
import type { Answer } from '../command.ts'
import { defineCommand } from '../command.ts'
import type { Flags } from '../command.ts'
import type { View } from '../view/view.ts'
import { writtenText } from '../view/written-text.ts'
import { LOOP_FLAGS, RAW_FLAG } from './loop-flags.ts'

const LIST_FLAGS = {
  set: LOOP_FLAGS.set,
  global: { kind: 'switch', summary: 'only your own defaults, without those of the project' },
  cwd: LOOP_FLAGS.cwd,
} as const satisfies Flags
const READ_FLAGS = { ...LIST_FLAGS, ...RAW_FLAG } as const satisfies Flags
const WRITE_FLAGS = {
  global: { kind: 'switch', summary: 'write your own defaults, for every project' },
  force: { kind: 'switch', summary: 'also a key of a capability that is not active' },
  cwd: LOOP_FLAGS.cwd,
} as const satisfies Flags

export const configGet = defineCommand({
  noun: 'config',
  verb: 'get',
  summary: 'Show the value of a configuration key and where it comes from.',
  recovers: false,
  args: [{ name: 'key', summary: 'a configuration key, such as workflow.research', many: true }],
  flags: READ_FLAGS,
  examples: ['gsd config get workflow.research', 'gsd config get mode --json'],
  async run(context, { args, flags }) {
    const [{ openLoop }, { requireKey }, { resolveKeys }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/config/require-key.ts'),
      import('../../loop/config/list-keys.ts'),
    ])
    const {
      registry,
      layers,
      warnings: loaded,
    } = await openLoop(context, { set: flags.set, onlyUser: isGlobal(flags) })
    const { keys, warnings } = resolveKeys(
      args.map((key) => requireKey(registry, key)),
      layers,
    )
    const [only] = keys
    const human = (): string =>
      keys.length === 1 && only !== undefined ? valueText(only) : keys.map(lineText).join('\n')
    return {
      data: { keys: keys.map(rowOf) },
      human,
      ...(flags.raw
        ? {
            raw: (await import('../view/raw-json.ts')).rawJson(
              keys.length === 1 ? (only?.value ?? null) : keys.map(rowOf),
            ),
          }
        : {}),
      warnings: [...loaded, ...warnings],
    }
  },
})

export const configList = defineCommand({
  noun: 'config',
  verb: 'list',
  aliases: ['ls'],
  summary: 'Show every configuration key with its value, its owner and where the value comes from.',
  recovers: false,
  args: [],
  flags: LIST_FLAGS,
  examples: ['gsd config list', 'gsd config list --json'],
  async run(context, { flags }) {
    const [{ openLoop }, { listKeys }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/config/list-keys.ts'),
    ])
    const {
      registry,
      layers,
      warnings: loaded,
    } = await openLoop(context, { set: flags.set, onlyUser: isGlobal(flags) })
    const { keys, warnings } = listKeys(registry, layers)
    return { data: { keys: keys.map(rowOf) }, human: (view) => table(keys, view), warnings: [...loaded, ...warnings] }
  },
})

export const configSchema = defineCommand({
  noun: 'config',
  verb: 'schema',
  summary: 'Print the JSON Schema of a project’s configuration, with the keys of every active capability.',
  recovers: false,
  args: [],
  flags: RAW_FLAG,
  examples: ['gsd config schema'],
  async run(context) {
    const [{ openLoop }, { federatedSchema }, { rawJson }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/config/federated-schema.ts'),
      import('../view/raw-json.ts'),
    ])
    const { registry, warnings } = await openLoop(context, {})
    const schema = federatedSchema(registry)
    return { data: schema, human: () => rawJson(schema), warnings }
  },
})

export const configSet = defineCommand({
  noun: 'config',
  verb: 'set',
  summary: 'Write a configuration key of the project, in place; comments and layout stay.',
  args: [
    { name: 'key', summary: 'a configuration key' },
    { name: 'value', summary: 'its value: text, a number, true, false, null or JSON', blank: true },
  ],
  flags: WRITE_FLAGS,
  examples: ['gsd config set workflow.research false', 'gsd config set mode yolo --global'],
  async run(context, { args: [key = '', text = ''], flags }) {
    const [{ openLoop }, { writableKey }, { parseValue }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/config/writable-key.ts'),
      import('../../loop/config/parse-value.ts'),
    ])
    const { registry, config, warnings } = await openLoop(context, {})
    const declared = writableKey(registry, key, { config, context, force: flags.force })
    const value = parseValue(declared, text)
    return await write(context, new Map([[key, value]]), flags, warnings)
  },
})

export const configUnset = defineCommand({
  noun: 'config',
  verb: 'unset',
  summary: 'Remove a configuration key from the project’s file, so that the next origin counts.',
  args: [{ name: 'key', summary: 'a configuration key' }],
  flags: WRITE_FLAGS,
  examples: ['gsd config unset workflow.research'],
  async run(context, { args: [key = ''], flags }) {
    const [{ openLoop }, { writableKey }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/config/writable-key.ts'),
    ])
    const { registry, config, warnings } = await openLoop(context, {})
    writableKey(registry, key, { config, context, force: true })
    return await write(context, new Map([[key, undefined]]), flags, warnings)
  },
})

/** Whether the user's own file is meant. */
const isGlobal = ({ global, scope }: ScopeFlags): boolean => global || scope === 'global'

interface ScopeFlags {
  readonly global: boolean
  readonly scope?: 'global' | 'project' | undefined
}

interface WriteTarget extends ScopeFlags {
  readonly 'dry-run': boolean
}

/** Writes keys and says which file was changed. */
const write = async (
  context: Context,
  values: ReadonlyMap<string, unknown>,
  flags: WriteTarget,
  warnings: Answer['warnings'],
): Promise<Answer> => {
  const { writeConfig } = await import('../../loop/config/write-config.ts')
  const layer = isGlobal(flags) ? 'user' : 'project'
  const dryRun = flags['dry-run']
  const written = await writeConfig(context, { layer, values: values as ReadonlyMap<string, never>, dryRun })
  return {
    data: { ...written, ...(dryRun ? { plan: written } : {}) },
    human: () => writtenText(written, { action: [...values.values()].includes(undefined) ? 'unset' : 'set', dryRun }),
    ...(warnings === undefined ? {} : { warnings }),
  }
}

/** As the contract has a row; a value that is not set is null. */
const rowOf = ({ value = null, ...rest }: ResolvedKey) => ({ ...rest, value })

const valueText = ({ value = null }: ResolvedKey): string => (typeof value === 'string' ? value : JSON.stringify(value))

const lineText = (key: ResolvedKey): string => `${key.key}=${valueText(key)}`

const table = (keys: readonly ResolvedKey[], view: View): string =>
  view.table<ResolvedKey>(
    [
      { title: 'key', cell: ({ key }) => key },
      { title: 'value', cell: ({ value = null }) => JSON.stringify(value), cut: true },
      { title: 'owner', cell: ({ owner }) => owner ?? 'program' },
      { title: 'origin', cell: ({ origin }) => origin },
    ],
    keys,
  )

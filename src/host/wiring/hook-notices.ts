import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { isSystemFailure } from '../../platform/disk-error.ts'
import { quote } from '../../redact.ts'
import { scopesOf } from '../../state/config/resolve-paths.ts'
import { readHostRecords } from '../../state/host-records.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { isHook } from '../edit/host-entry.ts'
import { openHostFile } from '../edit/open-host-file.ts'
import { listSwitchFiles } from '../runtimes/config-files.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'
import { parseDocument } from '../splice/json-document.ts'
import { parseTomlDocument } from '../splice/toml-document.ts'

/** Hooks that were written into a host. */
interface WrittenHooks {
  readonly id: string
  readonly paths: ScopePaths
  readonly runtime: HostRuntime
}

/** What a host will not do with hooks that were written, or will do twice, as far as its files show. */
export const hookNotices = (context: Context, written: WrittenHooks): readonly Diagnostic[] => [
  ...hooksOffNotice(context, written),
  ...trustNotice(written),
  ...runsTwiceNotice(context, written),
]

const hooksOffNotice = (context: Context, { id, paths, runtime }: WrittenHooks): readonly Diagnostic[] => {
  const { env, home, project } = context
  const root = paths.scope === 'project' ? paths.root : (project?.root ?? null)
  const off = listSwitchFiles(runtime, root, { env, home, exists: existsSync }).find(
    ({ file, member, value }) => readMember(context, file, member) === value,
  )
  if (off === undefined) return []
  const { file, member, value } = off
  const text = `${runtime.title} runs no hooks: ${quote(file)} sets ${member.join('.')} to ${value}`
  const hint = `the hooks of ${id} are written; to let them run, remove that setting`
  return [diagnostic('warning', 'HOST_HOOKS_OFF', text, { id, scope: paths.scope, file, hint })]
}

/** Undefined where the file cannot be read or parsed: a notice is no reason to refuse. */
const readMember = ({ disk }: Context, file: string, path: readonly string[]): unknown => {
  try {
    const { text } = openHostFile(disk, file, 'read')
    if (text === null) return undefined
    return file.endsWith('.toml')
      ? path.reduce<unknown>(memberOfTable, parseTomlDocument(text, file).table)
      : path.reduce(memberOfNode, parseDocument(text, file).root ?? undefined)?.value
  } catch (error) {
    if (!(error instanceof GsdError) || isSystemFailure(error)) throw error
    return undefined
  }
}

const memberOfTable = (table: unknown, key: string): unknown =>
  typeof table === 'object' && table !== null ? Object.entries(table).find(([name]) => name === key)?.[1] : undefined

type JsonNode = NonNullable<ReturnType<typeof parseDocument>['root']>

const memberOfNode = (node: JsonNode | undefined, key: string): JsonNode | undefined =>
  node?.type === 'object'
    ? node.children?.findLast(({ children }) => children?.[0]?.value === key)?.children?.[1]
    : undefined

const trustNotice = ({ id, paths: { scope }, runtime: { trustFirst } }: WrittenHooks): readonly Diagnostic[] => {
  const text = trustFirst?.[scope]
  return text === undefined ? [] : [diagnostic('info', 'HOST_TRUST_FIRST', text, { id, scope })]
}

/** Hosts combine the hooks of the home and of a project, and the two installs have different commands. */
const runsTwiceNotice = (context: Context, { id, paths, runtime }: WrittenHooks): readonly Diagnostic[] => {
  const other = scopesOf(context).find(({ scope }) => scope !== paths.scope)
  const records = other === undefined ? null : readHostRecords(context.disk, other)
  if (other === undefined || records?.state !== 'ok') return []
  const isWired = [...records.value.files.values()].some(
    ({ runtime: host, entries }) => host === runtime.id && Object.hasOwn(entries, id) && entries[id]?.some(isHook),
  )
  if (!isWired) return []
  const text = `${quote(id)} is wired into ${runtime.title} in the home and in this project, so here each of its hooks runs twice`
  const hint = `to remove one: gsd capability remove ${id} --scope ${other.scope} --runtime ${runtime.id}`
  return [diagnostic('warning', 'HOST_RUNS_TWICE', text, { id, scope: paths.scope, hint })]
}

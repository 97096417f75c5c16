import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { isObject, ownMember } from '../../manifest/json/object.ts'
import { pointerTo } from '../../manifest/json/pointer.ts'
import { quote } from '../../redact.ts'
import { checkSchema, type ConfigFile, type LoadedConfigFile, memberWarning, readConfigFile } from './config-file.ts'
import type { Policy, PolicyEntry, PolicyList, PolicyRule } from './policy.ts'
import { parsePolicyEntry } from './policy.ts'

export const MACHINE_POLICY = '/etc/gsd/policy.json'

export interface PolicySources {
  /** The configurations of the project and of those around it, as read; none where there is no project. */
  readonly projects: readonly ConfigFile[]
  /** The user's `policy.json`. */
  readonly user: string
  /** The machine's; {@link MACHINE_POLICY}. */
  readonly machine: string
}

/**
 * Reads every list of `strict_known_registries` (security, "Policy"): in the project's configuration, in the user's and in
 * the machine's `policy.json`. Never throws; what cannot be read refuses everything.
 */
export const readPolicy = (
  sources: PolicySources,
): { readonly policy: Policy; readonly diagnostics: readonly Diagnostic[] } => {
  const kind = { name: 'policy', code: 'POLICY_UNREADABLE' } as const
  const machine = readConfigFile(sources.machine, kind)
  const user = readConfigFile(sources.user, kind)
  const lists = [
    ...readLists('machine', machine, FILE_POINTERS),
    ...readLists('user', user, FILE_POINTERS),
    ...sources.projects.flatMap((file) => readLists('project', file, PROJECT_POINTERS)),
  ]
  return {
    policy: { lists: lists.map(({ list }) => list) },
    diagnostics: [...[machine, user].flatMap(unknownMembers), ...lists.flatMap(({ diagnostics }) => diagnostics)],
  }
}

const FILE_POINTERS = ['/strict_known_registries']
/** Nested, and as one dotted key; where both are there, both count. */
const PROJECT_POINTERS = ['/capabilities/strict_known_registries', '/capabilities.strict_known_registries']

interface FoundList {
  readonly list: PolicyList
  readonly diagnostics: readonly Diagnostic[]
}

const readLists = (
  origin: PolicyList['origin'],
  file: ConfigFile,
  pointers: readonly string[],
): readonly FoundList[] => {
  const found = (rule: PolicyRule, diagnostics: readonly Diagnostic[]): FoundList => ({
    list: { origin, file: file.file, rule },
    diagnostics,
  })
  const refusing = (because: Diagnostic): FoundList => found({ kind: 'refuse-all', because }, [because])
  if (file.state === 'absent') return []
  // The reader of the project's configuration has reported it already.
  if (file.state === 'unreadable') {
    return [found({ kind: 'refuse-all', because: file.diagnostic }, origin === 'project' ? [] : [file.diagnostic])]
  }
  const newer = origin === 'project' ? null : checkSchema(file)
  if (newer !== null) return [refusing(newer)]
  const twice = pointers
    .flatMap(pointerPrefixes)
    .find((pointer) => file.duplicates.some((duplicate) => duplicate.pointer === pointer))
  if (twice !== undefined) return [refusing(invalidPolicy(file, twice, `${quote(twice.slice(1))} is repeated`))]
  return pointers.flatMap((pointer) => {
    const { value, at } = memberAt(file, pointer)
    // Null where the list is due is a mistake, and one that lets everything in; above it, it says that nothing is set.
    if (value === undefined || (value === null && at !== pointer)) return []
    if (at !== pointer || !isTextList(value))
      return [
        refusing(
          invalidPolicy(
            file,
            at,
            at === pointer ? `${quote(value)} is not a list of texts` : `${quote(value)} is not an object`,
          ),
        ),
      ]
    const entries = value.map(parsePolicyEntry)
    return [found({ kind: 'only', entries }, unknownEntries(file, pointer, entries))]
  })
}

/** `/a/b` → `/a`, `/a/b`. */
const pointerPrefixes = (pointer: string): readonly string[] => {
  const parts = pointer.slice(1).split('/')
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)
}

/** The member, or the first value on its path that cannot contain it. */
const memberAt = (file: LoadedConfigFile, pointer: string): { readonly value: unknown; readonly at: string } => {
  let value: unknown = file.root
  for (const at of pointerPrefixes(pointer)) {
    value = isObject(value) ? ownMember(value, at.slice(at.lastIndexOf('/') + 1)) : undefined
    if (!isObject(value)) return { value, at }
  }
  return { value, at: pointer }
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const unknownEntries = (
  file: LoadedConfigFile,
  pointer: string,
  entries: readonly PolicyEntry[],
): readonly Diagnostic[] =>
  entries.flatMap((entry, index) =>
    entry.kind === 'unknown'
      ? [
          memberWarning(
            file,
            `${pointer}/${index}`,
            `${quote(entry.text)} lets nothing in`,
            'write a host, "npm", "npm:@<scope>" or "catalog:<name>"',
          ),
        ]
      : [],
  )

const POLICY_MEMBERS = new Set(['schema', 'strict_known_registries', 'prose_consent'])

/** A misspelt member would let everything in without a word. */
const unknownMembers = (file: ConfigFile): readonly Diagnostic[] =>
  file.state !== 'ok'
    ? []
    : Object.keys(file.root)
        .filter((key) => !POLICY_MEMBERS.has(key))
        .map((key) =>
          memberWarning(
            file,
            pointerTo('', key),
            `${quote(key)} is unknown and does nothing`,
            'the list is called "strict_known_registries"',
          ),
        )

const invalidPolicy = (file: LoadedConfigFile, pointer: string, what: string): Diagnostic =>
  diagnostic('warning', 'POLICY_UNREADABLE', `${quote(file.file)}: ${what}, so everything from outside is refused`, {
    file: file.file,
    ...file.locate(pointer),
    path: pointer,
    hint: 'write a list such as ["github.com", "npm:@<scope>"], or take the member out',
  })

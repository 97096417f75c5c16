import { redactSurface } from './redact-surface.ts'
import { canonicalJson } from './signature.ts'
import type { Surface } from './surface.ts'

/** A recorded surface: data that was shown to the user, perhaps by another version of the program. */
export type DisclosedSurface = Readonly<Record<string, unknown>>

/** What the user approved before. */
export interface Baseline {
  readonly version: string
  readonly surfaces: readonly DisclosedSurface[]
  /** Path → fingerprint of content and mode. */
  readonly files: ReadonlyMap<string, string>
  /** Fingerprint of the manifest without its descriptive members, where it is known. */
  readonly core?: string
}

/** How a bundle differs from what the user approved before. Secrets are hidden. */
export interface Difference {
  /** The approved version. */
  readonly from: string
  readonly surfaces: {
    readonly came: readonly DisclosedSurface[]
    readonly went: readonly DisclosedSurface[]
    readonly changed: readonly ChangedSurface[]
  }
  readonly files: {
    readonly added: readonly string[]
    readonly removed: readonly string[]
    readonly changed: readonly string[]
  }
}

export interface ChangedSurface {
  /** As in {@link surfaceName}. */
  readonly surface: string
  /** Dotted names of the members that differ; null: the member does not exist. */
  readonly members: readonly { readonly member: string; readonly before: unknown; readonly after: unknown }[]
}

/** Compares a bundle with what the user approved, for the disclosure of an update (security page, "Disclosure and consent"). */
export const compareWithBaseline = (
  before: Baseline,
  after: { readonly surfaces: readonly Surface[]; readonly files: ReadonlyMap<string, string> },
): Difference => {
  const current = after.surfaces.map((surface): DisclosedSurface => ({ ...redactSurface(surface) }))
  const same = new Set(current.map(canonicalJson))
  const known = new Set(before.surfaces.map(canonicalJson))
  const came = current.filter((surface) => !known.has(canonicalJson(surface)))
  const went = before.surfaces.filter((surface) => !same.has(canonicalJson(surface)))
  const pairs = pairByName(went, came)
  return {
    from: before.version,
    surfaces: {
      came: came.filter((surface) => !pairs.some((pair) => pair.after === surface)),
      went: went.filter((surface) => !pairs.some((pair) => pair.before === surface)),
      changed: pairs.map((pair) => ({ surface: surfaceName(pair.after), members: changedMembers(pair) })),
    },
    files: compareFiles(before.files, after.files),
  }
}

/** `hook hooks/run.sh`, `server db`: two surfaces with one name are versions of the same one. */
export const surfaceName = (surface: DisclosedSurface): string => {
  const [word, member] = NAME_MEMBERS[String(surface['kind'])] ?? ['surface', 'kind']
  return `${word} ${String(surface[member])}`
}

const NAME_MEMBERS: Readonly<Record<string, readonly [string, string]>> = {
  hook: ['hook', 'script'],
  'mcp-server': ['MCP server', 'name'],
  'mcp-remote': ['MCP server', 'name'],
  command: ['command family', 'family'],
  gate: ['gate at', 'point'],
  'lane-process': ['reviewer lane', 'slug'],
  'lane-http': ['reviewer lane', 'slug'],
  'skill-script': ['script', 'script'],
} satisfies Record<Surface['kind'], readonly [string, string]>

interface Pair {
  readonly before: DisclosedSurface
  readonly after: DisclosedSurface
}

/** Pairs surfaces with the same name, in order. */
const pairByName = (went: readonly DisclosedSurface[], came: readonly DisclosedSurface[]): readonly Pair[] => {
  const left = [...came]
  return went.flatMap((before) => {
    const at = left.findIndex((surface) => surfaceName(surface) === surfaceName(before))
    const [after] = at === -1 ? [] : left.splice(at, 1)
    return after === undefined ? [] : [{ before, after }]
  })
}

const changedMembers = ({ before, after }: Pair): ChangedSurface['members'] => {
  const [old, current] = [new Map(leafMembers(before, '')), new Map(leafMembers(after, ''))]
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((member) => canonicalJson(old.get(member)) !== canonicalJson(current.get(member)))
    .map((member) => ({ member, before: old.get(member) ?? null, after: current.get(member) ?? null }))
}

/** All nested members by dotted names; a list is one value. */
const leafMembers = (value: unknown, name: string): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, member]) => leafMembers(member, name === '' ? key : `${name}.${key}`))
    : [[name, value]]

const compareFiles = (
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Difference['files'] => ({
  added: [...after.keys()].filter((path) => !before.has(path)).toSorted(),
  removed: [...before.keys()].filter((path) => !after.has(path)).toSorted(),
  changed: [...after.keys()].filter((path) => before.has(path) && before.get(path) !== after.get(path)).toSorted(),
})

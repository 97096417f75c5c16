import type { Diagnostic } from '../../diagnostic.ts'
import type { ComposeInput } from '../../registry/compose.ts'
import type { LostGate } from '../../registry/lost-gate.ts'
import { RANKS } from '../../registry/member.ts'
import type { Attached, Candidate, Registry, Row } from '../../registry/registry.ts'
import { type MergedCapability } from '../../registry/registry.ts'
import { buildRegistry, lazy } from '../../registry/views.ts'
import type { LoadedRegistry } from '../loaded-registry.ts'
import { LazyMap } from './lazy-map.ts'
import type { Sections, SnapshotFile } from './snapshot-file.ts'
import { jsonListSection, jsonSection } from './snapshot-stats.ts'

/** A world as sections of a snapshot, so that nobody has to read more of it than is asked for. */
export const registrySections = (world: LoadedRegistry): { readonly hot: Sections; readonly cold: Sections } => {
  const { registry, input } = world
  const candidates = [...input.firstParty, ...input.overlays]
  const index = new Map(candidates.map((candidate, at) => [candidate, at]))
  return {
    hot: [['warnings', jsonSection(world.warnings)]],
    cold: [
      ['rows', jsonListSection(world.rows)],
      ...[...registry.byLoopPoint].map(([point, list]) => [`${POINT_PREFIX}${point}`, jsonListSection(list)] as const),
      ['config', jsonListSection([...registry.configKeys])],
      ['conditions', jsonListSection([...registry.conditions])],
      ['lost', jsonListSection(registry.lostGates)],
      ['accepted', jsonSection([...registry.capabilities].map(([id, candidate]) => [id, index.get(candidate)]))],
      ['aside', jsonSection([[...(input.disabled ?? [])], [...(input.absent ?? [])]])],
      ['count', jsonSection(input.firstParty.length)],
      ['candidates', jsonLines(candidates)],
    ],
  }
}

const POINT_PREFIX = 'point:'

/** One line for each, since there is no line break in JSON that was not asked for. */
const jsonLines = function* (values: readonly unknown[]): Generator<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`
}

/** The world of a snapshot whose sights still hold. Its parts are read when they are asked for. */
export const readLoadedRegistry = (file: SnapshotFile): LoadedRegistry => {
  const candidates = lazy(() => readCandidates(file))
  const rows = lazy(() => file.json('rows') as readonly Row[])
  const input = lazy(() => readComposeInput(file, candidates()))
  return {
    registry: lazyRegistry(file, candidates, rows),
    warnings: file.json('warnings') as readonly Diagnostic[],
    get rows() {
      return rows()
    },
    get input() {
      return input()
    },
  }
}

const lazyRegistry = (
  file: SnapshotFile,
  candidates: () => readonly (() => Candidate)[],
  rows: () => readonly Row[],
): Registry => {
  const capabilities = lazy(() => {
    const paths = readMap<number>(file, 'accepted')
    return new LazyMap(paths.keys(), (id) => (candidates()[paths.get(id) ?? -1] as () => Candidate)())
  })
  const parts = (): MergedCapability[] =>
    [...capabilities()].map(([id, candidate]) => ({ id, candidate, rank: RANKS[candidate.origin] }))
  const points = file.sections
    .filter((name) => name.startsWith(POINT_PREFIX))
    .map((name) => name.slice(POINT_PREFIX.length))
  return buildRegistry(parts, {
    capabilities,
    byLoopPoint: lazy(
      () => new LazyMap(points, (point) => file.json(`${POINT_PREFIX}${point}`) as readonly Attached[]),
    ),
    configKeys: lazy(() => readMap(file, 'config')),
    conditions: lazy(() => readMap(file, 'conditions')),
    lostGates: lazy(() => file.json('lost') as readonly LostGate[]),
    rows,
  })
}

const readMap = <V>(file: SnapshotFile, name: string): ReadonlyMap<string, V> =>
  new Map(file.json(name) as [string, V][])

/** Each candidate, parsed when it is asked for. */
const readCandidates = (file: SnapshotFile): (() => Candidate)[] => {
  const bytes = file.bytes('candidates')
  const candidates: (() => Candidate)[] = []
  let start = 0
  for (let at = bytes.indexOf('\n'); at !== -1; at = bytes.indexOf('\n', start)) {
    const [from, to] = [start, at]
    candidates.push(lazy(() => JSON.parse(bytes.toString('utf8', from, to)) as Candidate))
    start = at + 1
  }
  return candidates
}

const readComposeInput = (file: SnapshotFile, candidates: readonly (() => Candidate)[]): ComposeInput => {
  const [disabled, absent] = file.json('aside') as readonly [[string, string][], [string, string][]]
  const count = file.json('count') as number
  return {
    firstParty: candidates.slice(0, count).map((candidate) => candidate()),
    overlays: candidates.slice(count).map((candidate) => candidate()),
    disabled: new Map(disabled),
    absent: new Map(absent),
  }
}

import type { Diagnostic } from '../../diagnostic.ts'
import { lazy } from '../../lazy.ts'
import type { ComposeInput } from '../../registry/compose.ts'
import type { LostGate } from '../../registry/lost-gate.ts'
import { RANKS } from '../../registry/member.ts'
import type { Attached, Candidate, Registry, Row } from '../../registry/registry.ts'
import { type MergedCapability } from '../../registry/registry.ts'
import { buildRegistry } from '../../registry/views.ts'
import type { LoadedRegistry } from '../loaded-registry.ts'
import { LazyMap } from './lazy-map.ts'
import type { Sections, SnapshotFile } from './snapshot-file.ts'

/** A loaded registry as the sections of a snapshot, so that a reader parses only what it needs. */
export const registrySections = (loaded: LoadedRegistry): { readonly hot: Sections; readonly cold: Sections } => {
  const { registry, input } = loaded
  const candidates = [...input.firstParty, ...input.overlays]
  const index = new Map(candidates.map((candidate, at) => [candidate, at]))
  return {
    hot: [['warnings', JSON.stringify(loaded.warnings)]],
    cold: [
      ['rows', JSON.stringify(loaded.rows)],
      ...[...registry.byLoopPoint].map(([point, list]) => [`${POINT_PREFIX}${point}`, JSON.stringify(list)] as const),
      ['config', JSON.stringify([...registry.configKeys])],
      ['conditions', JSON.stringify([...registry.conditions])],
      ['lost', JSON.stringify(registry.lostGates)],
      ['accepted', JSON.stringify([...registry.capabilities].map(([id, candidate]) => [id, index.get(candidate)]))],
      ['disabled', JSON.stringify([...(input.disabled ?? [])])],
      ['absent', JSON.stringify([...(input.absent ?? [])])],
      ['firstPartyCount', JSON.stringify(input.firstParty.length)],
      ['candidates', candidates.map((candidate) => `${JSON.stringify(candidate)}\n`).join('')],
    ],
  }
}

const POINT_PREFIX = 'point:'

/** The registry of a valid snapshot. Its parts are read when they are first used. */
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
    const indexes = readMap<number>(file, 'accepted')
    return new LazyMap(indexes.keys(), (id) => (candidates()[indexes.get(id) ?? -1] as () => Candidate)())
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
    excluded: lazy(() => {
      const accepted = new Set(readMap<number>(file, 'accepted').values())
      return candidates().flatMap((candidate, at) => (accepted.has(at) ? [] : [candidate()]))
    }),
    lostGates: lazy(() => file.json('lost') as readonly LostGate[]),
    rows,
  })
}

const readMap = <V>(file: SnapshotFile, name: string): ReadonlyMap<string, V> =>
  new Map(file.json(name) as [string, V][])

/** Each candidate, parsed when it is first used. */
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
  const count = file.json('firstPartyCount') as number
  return {
    firstParty: candidates.slice(0, count).map((candidate) => candidate()),
    overlays: candidates.slice(count).map((candidate) => candidate()),
    disabled: readMap(file, 'disabled'),
    absent: readMap(file, 'absent'),
  }
}

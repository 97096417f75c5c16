import type { Diagnostic } from '../diagnostic.ts'
import type { ComposeInput } from '../registry/compose.ts'
import { RANKS } from '../registry/member.ts'
import type { Attached, Candidate, Registry, Row } from '../registry/registry.ts'
import { lazy, type Part, registryOf } from '../registry/views.ts'
import { LazyMap } from './lazy-map.ts'
import type { Sections, SnapshotFile } from './snapshot-file.ts'
import { json } from './snapshot-sights.ts'
import type { World } from './world.ts'

/** A world as sections of a snapshot, so that nobody has to read more of it than is asked for. */
export const worldSections = (world: World): { readonly hot: Sections; readonly cold: Sections } => {
  const { registry, input } = world
  const candidates = [...input.firstParty, ...input.overlays]
  const index = new Map(candidates.map((candidate, at) => [candidate, at]))
  const texts = candidates.map(json)
  const ends: number[] = []
  for (const text of texts) ends.push((ends.at(-1) ?? 0) + text.length)
  return {
    hot: [['warnings', json(world.warnings)]],
    cold: [
      ['rows', json(world.rows)],
      ...[...registry.byLoopPoint].map(([point, attached]): [string, Buffer] => [`${POINT}${point}`, json(attached)]),
      ['config', json([...registry.configKeys])],
      ['activation', json([...registry.activationKeys])],
      ['accepted', json([...registry.capabilities].map(([id, candidate]) => [id, index.get(candidate)]))],
      ['aside', json([[...(input.disabled ?? [])], [...(input.absent ?? [])]])],
      ['count', json(input.firstParty.length)],
      ['ends', json(ends)],
      ['candidates', Buffer.concat(texts)],
    ],
  }
}

const POINT = 'point:'

/** The world of a snapshot whose sights still hold. Its parts are read when they are asked for. */
export const worldIn = (file: SnapshotFile): World => {
  const candidates = lazy(() => candidatesIn(file))
  const rows = lazy(() => file.json('rows') as readonly Row[])
  const input = lazy(() => inputIn(file, candidates()))
  return {
    registry: registryIn(file, candidates),
    warnings: file.json('warnings') as readonly Diagnostic[],
    get rows() {
      return rows()
    },
    get input() {
      return input()
    },
  }
}

const registryIn = (file: SnapshotFile, candidates: () => readonly (() => Candidate)[]): Registry => {
  const capabilities = lazy(() => {
    const places = mapIn<number>(file, 'accepted')
    return new LazyMap(places.keys(), (id) => (candidates()[places.get(id) ?? -1] as () => Candidate)())
  })
  const parts = (): Part[] =>
    [...capabilities()].map(([id, candidate]) => ({ id, candidate, rank: RANKS[candidate.origin] }))
  const points = file.sections.filter((name) => name.startsWith(POINT)).map((name) => name.slice(POINT.length))
  return registryOf(parts, {
    capabilities,
    byLoopPoint: lazy(() => new LazyMap(points, (point) => file.json(`${POINT}${point}`) as readonly Attached[])),
    configKeys: lazy(() => mapIn(file, 'config')),
    activationKeys: lazy(() => mapIn(file, 'activation')),
  })
}

const mapIn = <V>(file: SnapshotFile, name: string): ReadonlyMap<string, V> => new Map(file.json(name) as [string, V][])

/** Each candidate, parsed when it is asked for. */
const candidatesIn = (file: SnapshotFile): (() => Candidate)[] => {
  const ends = file.json('ends') as readonly number[]
  const bytes = file.bytes('candidates')
  return ends.map((end, at) => lazy(() => JSON.parse(bytes.toString('utf8', ends[at - 1] ?? 0, end)) as Candidate))
}

const inputIn = (file: SnapshotFile, candidates: readonly (() => Candidate)[]): ComposeInput => {
  const [disabled, absent] = file.json('aside') as readonly [[string, string][], [string, string][]]
  const count = file.json('count') as number
  return {
    firstParty: candidates.slice(0, count).map((candidate) => candidate()),
    overlays: candidates.slice(count).map((candidate) => candidate()),
    disabled: new Map(disabled),
    absent: new Map(absent),
  }
}

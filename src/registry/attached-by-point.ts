import { LOOP, POINTS } from '../manifest/loop-contract.ts'
import type { Fragment } from '../manifest/manifest.ts'
import { compareText } from './member.ts'
import type { Attached, Candidate, MergedCapability } from './registry.ts'
import { topologicalSort } from './topological-sort.ts'

type AttachedOf<Kind extends Attached['kind']> = Extract<Attached, { kind: Kind }>

/**
 * Everything attached to the loop, for each point in the order in which it runs and is rendered (manifest page, "Ordering
 * and rendering"): steps, then contributions grouped by role, then gates. Every point has an entry.
 */
export const attachedByPoint = (accepted: readonly MergedCapability[]): Map<string, readonly Attached[]> => {
  const steps = emptyByPoint<AttachedOf<'step'>>()
  const contributions = emptyByPoint<AttachedOf<'contribution'>>()
  const gates = emptyByPoint<AttachedOf<'gate'>>()
  for (const { candidate, id } of [...accepted].sort((a, b) => compareText(a.id, b.id))) {
    const { manifest } = candidate
    if (manifest.role !== 'feature') continue
    const owner = { capability: id, scope: candidate.origin, version: manifest.version }
    for (const step of manifest.steps) {
      const text = step.fragment === undefined ? null : fragmentText(step.fragment, candidate)
      steps.get(step.point)?.push({ ...owner, kind: 'step', step, text })
    }
    for (const contribution of manifest.contributions) {
      const text = fragmentText(contribution.fragment, candidate)
      contributions.get(contribution.point)?.push({ ...owner, kind: 'contribution', contribution, text })
    }
    for (const gate of manifest.gates) gates.get(gate.point)?.push({ ...owner, kind: 'gate', gate })
  }
  return new Map(
    POINTS.map((point) => [
      point,
      [
        ...orderByArtefacts(steps.get(point) ?? [], ({ step }) => step),
        ...orderByRole(contributions.get(point) ?? [], LOOP.points.get(point)?.roles ?? []),
        ...(gates.get(point) ?? []),
      ],
    ]),
  )
}

const emptyByPoint = <T>(): Map<string, T[]> => new Map(POINTS.map((point) => [point, []]))

const fragmentText = (fragment: Fragment, candidate: Candidate): string => {
  if ('inline' in fragment) return fragment.inline
  return Object.hasOwn(candidate.fragments, fragment.path) ? (candidate.fragments[fragment.path] ?? '') : ''
}

const orderByRole = (
  found: readonly AttachedOf<'contribution'>[],
  roles: readonly string[],
): AttachedOf<'contribution'>[] =>
  roles.flatMap((role) =>
    orderByArtefacts(
      found.filter(({ contribution }) => contribution.into === role),
      ({ contribution }) => contribution,
    ),
  )

const orderByArtefacts = <T>(found: readonly T[], hookOf: (item: T) => HookArtefacts): T[] =>
  topologicalSort(
    found.map((item) => {
      const { produces, consumes } = hookOf(item)
      return { produces: [...new Set(produces)], consumes: [...new Set(consumes)] }
    }),
  ).map((at) => found[at] as T)

interface HookArtefacts {
  readonly produces: readonly string[]
  readonly consumes: readonly string[]
}

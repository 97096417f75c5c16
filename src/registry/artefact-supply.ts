import { LOOP, POINTS } from '../manifest/loop-contract.ts'
import { quote } from '../redact.ts'
import type { HookFacet } from './facets.ts'
import type { Fault } from './fault.ts'
import type { Member } from './member.ts'

/** The artefacts that the hooks of a set of members produce, and from which point on. */
export class ArtefactSupply {
  readonly #counts = new Map<string, Int32Array>()

  constructor(members: readonly Member[]) {
    for (const { facets } of members)
      for (const hook of facets.hooks) for (const name of hook.produces) this.#change(name, hook, 1)
  }

  /** Removes the hooks of a member; returns the artefacts that are now produced later or not at all. */
  remove(member: Member): string[] {
    return member.facets.hooks.flatMap((hook) =>
      hook.produces.filter((name) => {
        const before = this.#earliest(name)
        this.#change(name, hook, -1)
        return this.#earliest(name) !== before
      }),
    )
  }

  /** Whether a hook at this point can consume the artefact (rule 46). */
  has(name: string, point: string): boolean {
    const at = pointIndex(point)
    return loopProvides(name, at) || this.#earliest(name) <= at
  }

  #earliest(name: string): number {
    const at = this.#counts.get(name)?.findIndex((count) => count > 0) ?? -1
    return at === -1 ? Infinity : at
  }

  #change(name: string, hook: HookFacet, by: number): void {
    const counts = this.#counts.get(name) ?? new Int32Array(POINTS.length)
    const at = pointIndex(hook.point)
    counts[at] = (counts[at] ?? 0) + by
    this.#counts.set(name, counts)
  }
}

const POINT_INDEX: ReadonlyMap<string, number> = new Map(POINTS.map((point, at) => [point, at]))

const pointIndex = (point: string): number => POINT_INDEX.get(point) ?? POINTS.length

const loopProvides = (name: string, at: number): boolean => (LOOP.availableFrom.get(name) ?? Infinity) <= at

/** An excluded member that would produce an artefact, and the member that blocks it. */
export interface ExcludedProducer {
  readonly producer: Member
  readonly blocker: Member | undefined
}

/** Steps whose artefacts nothing supplies (rule 46). */
export const checkSteps = (
  member: Member,
  supply: ArtefactSupply,
  excluded: ReadonlyMap<string, ExcludedProducer>,
): Fault[] =>
  member.facets.hooks.flatMap((hook) => {
    if (hook.kind !== 'step') return []
    return hook.consumes
      .filter((name) => !supply.has(name, hook.point))
      .map((name) => unsatisfiedFault(name, hook, excluded.get(name)))
  })

const unsatisfiedFault = (name: string, hook: HookFacet, excluded: ExcludedProducer | undefined): Fault => {
  const from = LOOP.availableFrom.get(name)
  const why =
    from === undefined
      ? 'which nothing produces at that point or earlier'
      : `which the loop provides from ${POINTS[from]} on and no capability produces earlier`
  return {
    code: 'REGISTRY_CONSUMES_UNSATISFIED',
    reason: `its step at ${hook.point} consumes ${quote(name)}, ${why}${excluded === undefined ? '' : ` (${excluded.producer.name} would, but is skipped)`}`,
    pointer: `${hook.pointer}/consumes`,
    ...(excluded?.blocker === undefined ? {} : { blocker: excluded.blocker }),
  }
}

/** Records the artefacts that an excluded member would produce. */
export const recordExcluded = (
  excluded: Map<string, ExcludedProducer>,
  member: Member,
  faults: readonly Fault[],
): void => {
  for (const hook of member.facets.hooks) {
    for (const name of hook.produces)
      if (!excluded.has(name)) excluded.set(name, { producer: member, blocker: faults[0]?.blocker })
  }
}

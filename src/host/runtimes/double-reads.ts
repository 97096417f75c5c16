import type { HostRuntime } from './runtime.ts'

/** Two hosts of which one reads the other's file too. */
export interface DoubleRead {
  readonly reader: string
  readonly owner: string
  readonly reason: string
}

/**
 * Hosts among these that would run a hook twice, because they also read the file of another one of them (hosts page,
 * "Hook commands"). Wiring both is refused unless forced.
 */
export const findDoubleReads = (runtimes: readonly HostRuntime[]): DoubleRead[] =>
  runtimes.flatMap((reader) =>
    runtimes
      .filter(({ id }) => reader.alsoReads.includes(id))
      .map((owner) => ({
        reader: reader.id,
        owner: owner.id,
        reason: `${reader.title} also reads the hooks of ${owner.title}, so each hook would run twice there`,
      })),
  )

import { GsdError } from '../errors.ts'
import type { Prepared } from '../resolve/prepare.ts'

/** One of several that was refused, and why. */
export interface Refused<T> {
  readonly item: T
  readonly error: GsdError
}

/** How capabilities are taken together, and how one is looked at by itself. */
export interface BatchSteps<T> {
  /** All of them or none. */
  readonly applyAll: (named: readonly Prepared[]) => Promise<T>
  /** Throws what refuses one by itself; writes nothing. */
  readonly checkOne: (one: Prepared) => Promise<unknown>
}

/** Does work for each item in turn. With `go` one that fails is put aside, else it ends the work. */
export const mapSkippingRefused = async <T, U>(
  go: boolean,
  items: readonly T[],
  work: (item: T) => Promise<U>,
): Promise<{ readonly taken: readonly U[]; readonly refused: readonly Refused<T>[] }> => {
  const taken: U[] = []
  const refused: Refused<T>[] = []
  for (const item of items) {
    try {
      taken.push(await work(item))
    } catch (error) {
      if (!go || !isRefusal(error)) throw error
      refused.push({ item, error })
    }
  }
  return { taken, refused }
}

/**
 * Takes all of them as one operation. With `go`, where that is refused, those that are refused by themselves too are
 * left out; where none is, it is the set that is refused.
 */
export const applySkippingRefused = async <T>(
  go: boolean,
  named: readonly Prepared[],
  { applyAll, checkOne }: BatchSteps<T>,
): Promise<{ readonly outcome: T; readonly refused: readonly Refused<Prepared>[] }> => {
  try {
    return { outcome: await applyAll(named), refused: [] }
  } catch (error) {
    if (!go || !isRefusal(error)) throw error
    const { taken, refused } = await mapSkippingRefused(true, named, async (one) => (await checkOne(one), one))
    if (refused.length === 0) throw error
    const rest = await applySkippingRefused(go, taken, { applyAll, checkOne })
    return { outcome: rest.outcome, refused: [...refused, ...rest.refused] }
  }
}

const isRefusal = (error: unknown): error is GsdError => error instanceof GsdError && error.code !== 'INTERRUPTED'

import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { quote } from '../redact.ts'
import type { Row } from '../registry/registry.ts'

/**
 * Runs `work`. If a capability is not installed, the error hints at what has that id instead: one that
 * is part of the program, one of the other scope, or a folder that is not in the ledger.
 * @throws what `work` throws
 */
export const explainNotInstalled = async <T>(
  context: Context,
  scope: ScopeName,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof GsdError) || error.code !== 'STATE_NOT_INSTALLED') throw error
    const { id } = error.details as { readonly id: string }
    const row = (await loadRegistryFor(context)).rows.find((each) => each.id === id)
    if (row === undefined) throw error
    throw new GsdError(error.code, error.message, { hint: hintFor(row, scope), details: error.details, cause: error })
  }
}

const hintFor = ({ id, scope }: Row, requested: ScopeName): string => {
  if (scope === 'first-party') return `it is part of the program; to disable it: gsd capability disable ${id}`
  if (scope !== requested) return `it is installed in the ${scope} scope: add --scope ${scope}`
  return 'a folder of that name exists, but is not in the ledger; run gsd capability doctor'
}

/** The error for an unknown id, with the nearest known id or else another hint. */
export const unknownIdError = (id: string, rows: readonly Row[], hint: string): GsdError => {
  const nearest = nearestWord(
    id,
    rows.map((row) => row.id),
  )
  return new GsdError('STATE_NOT_INSTALLED', `there is no capability ${quote(id)}`, {
    hint: nearest === null ? hint : `did you mean ${nearest}?`,
    details: { id },
  })
}

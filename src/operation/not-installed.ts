import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { quote } from '../redact.ts'
import type { Row } from '../registry/registry.ts'

/**
 * Runs `work`; where it finds a capability not installed, the error says what is there under that id instead: one that
 * comes with the program, one of the other scope, a folder that no ledger entry accounts for.
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

const hintFor = ({ id, scope }: Row, asked: ScopeName): string => {
  if (scope === 'first-party') return `it comes with the program; gsd capability disable ${id} switches it off`
  if (scope !== asked) return `it is installed in the ${scope} scope: add --scope ${scope}`
  return 'there is a folder of that name that no ledger entry accounts for; gsd capability doctor says what to do'
}

/** The error for an id that nothing has, with the nearest one that something does, or else with another hint. */
export const unknownIdError = (id: string, rows: readonly Row[], hint: string): GsdError => {
  const near = nearestWord(
    id,
    rows.map((row) => row.id),
  )
  return new GsdError('STATE_NOT_INSTALLED', `there is no capability ${quote(id)} here`, {
    hint: near === null ? hint : `did you mean ${near}?`,
    details: { id },
  })
}

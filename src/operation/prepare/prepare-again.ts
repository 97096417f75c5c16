import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { LedgerEntry } from '../../store/ledger-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { prepareFitting } from './prepare-fitting.ts'
import type { Prepared } from './prepare.ts'
import { wentBack } from './went-back.ts'

export interface Again {
  readonly id: string
  readonly entry: LedgerEntry
  readonly places: ScopePlaces
  /** Folder that does not exist yet. */
  readonly into: string
  readonly allowHttp: boolean
}

/**
 * What the recorded spec of an installed capability gives now, as an update would take it.
 * @throws STATE_OTHER_SOURCE where it gives another capability, and what `prepareFitting` throws
 */
export const prepareAgain = async (
  context: Context,
  { id, entry, places, into, allowHttp }: Again,
): Promise<Prepared> => {
  const spec = parseSpec(entry.spec, { cwd: places.realRoot, home: context.home, allowHttp })
  const prepared = await prepareFitting(context, {
    text: entry.spec,
    cwd: places.realRoot,
    places,
    into,
    integrity: null,
    allowHttp,
    installed: entry.version,
    downgrade: wentBack(spec, entry.resolved) ? true : null,
  })
  if (prepared.manifest.id === id) return prepared
  throw new GsdError(
    'STATE_OTHER_SOURCE',
    `${quote(entry.spec)} holds ${quote(prepared.manifest.id)} now, and no longer ${quote(id)}`,
    {
      hint: `gsd capability remove ${id} --scope ${places.scope}, then install ${prepared.manifest.id}`,
      details: { id, found: prepared.manifest.id },
    },
  )
}

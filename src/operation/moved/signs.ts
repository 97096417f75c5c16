import type { Context } from '../../context.ts'
import { readHosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import { readLedger } from '../../store/ledger.ts'
import type { ScopePlaces } from '../../store/places.ts'

/**
 * Whether the ledger names hosts for something of which nothing is on record: as in a fresh clone, or after the folder was
 * moved or copied. Not where the user's own `.gsd` moves along with the rest.
 */
export const lacksRecord = ({ disk }: Pick<Context, 'disk'>, places: ScopePlaces): boolean => {
  if (places.trusted || !isThere(disk, places.ledger)) return false
  const ledger = readLedger(disk, places)
  if (ledger.state !== 'ok') return false
  const wired = [...ledger.value.capabilities].filter(([, { runtimes }]) => runtimes.length > 0)
  if (wired.length === 0) return false
  const hosts = readHosts(disk, places)
  if (hosts.state === 'unreadable') return false
  const records = hosts.state === 'ok' ? [...hosts.value.files.values()] : []
  return wired.some(([id]) => !records.some(({ entries }) => Object.hasOwn(entries, id)))
}

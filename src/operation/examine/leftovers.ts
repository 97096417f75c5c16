import { basename, dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Disk } from '../../store/disk.ts'
import { readHosts } from '../../store/hosts.ts'
import { isThere } from '../../store/is-there.ts'
import { isHeld } from '../../store/lock-folder.ts'
import { namesIn } from '../../store/names-in.ts'
import { isOperationName } from '../../store/names.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { claimsOf, readClaims } from '../transaction/claim.ts'

/**
 * What no running operation claims and no journal speaks of: staging and trash folders, and temporaries beside the files
 * that operations replace. Their names are such as only this program gives.
 * @param locked this process holds the lock, so nobody else changes anything
 */
export const leftoversOf = (
  context: Context,
  places: ScopePlaces,
  { locked }: { readonly locked: boolean },
): readonly string[] => {
  const { disk, identity, now } = context
  if (isThere(disk, places.journal)) return []
  const claims = readClaims(disk, claimsOf(places.private), identity, now())
  const running = new Set(claims.filter(({ abandoned }) => !abandoned).map(({ operation }) => operation))
  return [
    ...[places.staging, places.trash].flatMap((folder) =>
      namesIn(disk, folder)
        .filter((name) => isOperationName(name) && !running.has(name))
        .map((name) => join(folder, name)),
    ),
    ...replacedFiles(context, places, locked).flatMap((file) => temporariesBeside(disk, file, running)),
  ]
}

/**
 * The record of consent is the home's affair. An operation of another project may be replacing it; then the home's lock is
 * held.
 */
const replacedFiles = (context: Context, places: ScopePlaces, locked: boolean): readonly string[] => {
  const { disk, user, identity } = context
  const { ledger, state, gitignore, hosts, journal } = places
  const found = readHosts(disk, places)
  const isFree = places === context.global && (locked || !isHeld(disk, user.lock, identity))
  const wired = found.state === 'ok' ? [...found.value.files.keys()] : []
  return [ledger, state, gitignore, hosts, journal, ...wired, ...(isFree ? [user.consent] : [])]
}

/** `.<name>.gsd-<operation>` */
const temporariesBeside = (disk: Disk, file: string, running: ReadonlySet<string>): readonly string[] => {
  const prefix = `.${basename(file)}.gsd-`
  return namesIn(disk, dirname(file))
    .filter((name) => name.startsWith(prefix))
    .filter((name) => isOperationName(name.slice(prefix.length)) && !running.has(name.slice(prefix.length)))
    .map((name) => join(dirname(file), name))
}

import type { Context } from '../context.ts'
import { pathExists } from '../platform/disk.ts'
import { replaceFile } from '../platform/replace-file.ts'
import { readFormerGrants } from '../state/grants.ts'
import { newOperationName } from './operation-context.ts'

/**
 * Copies the grants that an earlier version kept in `consent.json` to `grants.json`, once; the old file stays as it is. The
 * lock of the home is held. Once is a matter of trust: what was revoked since must not come back where somebody deletes
 * `grants.json`.
 * @throws STATE_*
 */
export const adoptFormerGrants = (context: Context): void => {
  const { disk, user } = context
  const former = readFormerGrants(disk, user)
  if (former.state === 'absent') return
  if (former.state === 'unreadable') {
    if (!pathExists(disk, user.grants)) context.report({ kind: 'warning', diagnostic: former.diagnostic })
    return
  }
  const options = { operation: newOperationName(context), expect: null, mode: 0o600 }
  // The same bytes, so that an interrupted operation of that version is undone to the byte.
  if (!pathExists(disk, user.grants)) replaceFile(disk, user.grants, Buffer.from(former.text), options)
  replaceFile(disk, user.grantsAdopted, Buffer.from(MARK_TEXT), options)
}

const MARK_TEXT = 'The consents in consent.json were copied to grants.json. consent.json is not read any more.\n'

import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { isErrno } from '../store/disk-error.ts'
import type { ScopePlaces } from '../store/places.ts'

/** Whether no other bundle is there beside these of a scope, in any scope, so that none can require one of them. */
export const standAlone = (context: Context, ids: readonly string[], scope: ScopeName): boolean =>
  context.firstParty === null &&
  scopesOf(context).every((places) =>
    entriesOf(context, places).every((name) => places.scope === scope && ids.includes(name)),
  )

/** What cannot be listed counts as something. */
const entriesOf = ({ disk }: Context, { capabilities }: ScopePlaces): readonly string[] => {
  try {
    return disk.readdirSync(capabilities)
  } catch (error) {
    return isErrno(error, 'ENOENT') ? [] : ['']
  }
}

import type { Context } from '../../context.ts'
import type { ScopeName } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { ScopePlaces } from '../../store/places.ts'

/**
 * The places of a scope that was named. Where the global root is the project itself, both names mean the project.
 * @throws GsdError USAGE_NO_PROJECT
 */
export const placesOf = (context: Pick<Context, 'global' | 'project'>, scope: ScopeName): ScopePlaces => {
  const places = context[scope]
  if (places !== null) return places
  throw new GsdError('USAGE_NO_PROJECT', 'there is no project here: no folder above holds .gsd, .planning or .git', {
    hint: 'name one with --project <dir>, or use --scope global',
  })
}

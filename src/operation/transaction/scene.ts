import { join } from 'node:path'
import type { Context } from '../../context.ts'
import type { Journal } from '../../store/journal-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'

/** Where one operation works. */
export interface Scene {
  readonly context: Context
  readonly places: ScopePlaces
  /** Its name; see `newOperation`. */
  readonly operation: string
  /** Modes of files that the operation deletes; see the journal. */
  readonly modes: ReadonlyMap<string, number>
}

export const sceneOf = (context: Context, places: ScopePlaces, { operation, modes = [] }: Journal): Scene => ({
  context,
  places,
  operation,
  modes: new Map(modes.map(({ file, mode }) => [file, mode])),
})

export const stagingOf = ({ places, operation }: Scene): string => join(places.staging, operation)
export const trashOf = ({ places, operation }: Scene): string => join(places.trash, operation)

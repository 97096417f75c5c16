import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { ScopePlaces } from '../../store/places.ts'

/** Something that is wrong, with what mends it: `fix` and `sync` by the doctor, anything else by hand. */
export interface Finding extends Diagnostic {
  readonly remedy: 'fix' | 'sync' | 'hand'
}

/** @param hint the one command that mends it, before a colon if there is more to say; or what to do by hand */
export const finding = (
  remedy: Finding['remedy'],
  { scope }: ScopePlaces,
  code: Diagnostic['code'],
  message: string,
  hint: string,
  id?: string,
): Finding => ({
  ...diagnostic('warning', code, message, { scope, hint, ...(id === undefined ? {} : { id }) }),
  remedy,
})

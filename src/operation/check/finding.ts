import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

/** Something that is wrong, with what mends it: `fix` and `sync` by the doctor, anything else by hand. */
export interface Finding extends Diagnostic {
  readonly remedy: 'fix' | 'sync' | 'hand'
}

/** @param hint the one command that mends it, before a colon if there is more to say; or what to do by hand */
export const finding = (
  remedy: Finding['remedy'],
  { scope }: ScopePaths,
  code: Diagnostic['code'],
  message: string,
  hint: string,
  id?: string,
): Finding => ({
  ...diagnostic('warning', code, message, { scope, hint, ...(id === undefined ? {} : { id }) }),
  remedy,
})

/** What cannot be looked at is a finding too, and keeps nobody from the others. */
export const errorsAsFindings = (paths: ScopePaths, part: () => readonly Finding[]): readonly Finding[] => {
  try {
    return part()
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    const { code, message, hint = 'gsd capability doctor: again, when it can be read' } = error
    return [finding('hand', paths, code, message, hint)]
  }
}

import { GsdError } from '../../errors.ts'
import { hashOfText } from '../../platform/hash.ts'
import { quote } from '../../redact.ts'
import type { ContainerRecord, HostEdit, HostFileRecord } from '../../state/host-edit.ts'
import { applyPatches, revertPatches } from '../splice/text-patch.ts'
import { SURFACES } from '../surfaces/surfaces.ts'
import { isBlankFile, spliceRequest } from './splice-request.ts'

/**
 * The text after the edit: exactly as planned while the file is as it was read, otherwise the same entries are spliced into
 * the present text. Null: the file is to be absent. Doing it twice changes nothing more.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE when the text cannot be parsed any more.
 */
export const applyHostEdit = (text: string | null, edit: HostEdit): string | null => {
  const hash = hashOfText(text)
  if (hash === edit.hashAfter) return text
  if (hash === edit.hashBefore) {
    const exact = applyPatches(text ?? '', edit.patches)
    if (exact !== null) return edit.hashAfter === null ? null : exact
  }
  if (edit.surface === 'placed-file')
    return text ?? (edit.add.length === 0 ? null : (edit.patches.at(-1)?.insert ?? null))
  if (text === null && edit.add.length === 0) return null
  return spliceCurrentText(text, edit, 'redo')
}

/**
 * The inverse of {@link applyHostEdit}; what a user typed meanwhile stays. A text without the edit is not changed, and a
 * file that the user deleted meanwhile stays deleted.
 * @throws HOST_SETTINGS_UNPARSABLE, HOST_SETTINGS_SHAPE when the text cannot be parsed any more.
 */
export const undoHostEdit = (text: string | null, edit: HostEdit): string | null => {
  const hash = hashOfText(text)
  if (hash === edit.hashBefore) return text
  if (hash === edit.hashAfter) {
    const exact = revertPatches(text ?? '', edit.patches)
    if (exact !== null) return edit.hashBefore === null ? null : exact
  }
  if (text === null) return null
  return spliceCurrentText(text, edit, 'undo')
}

const spliceCurrentText = (text: string | null, edit: HostEdit, direction: 'redo' | 'undo'): string | null => {
  const [add, remove, from, to] =
    direction === 'redo'
      ? [edit.add, edit.remove, edit.recordBefore, edit.recordAfter]
      : [edit.remove, edit.add, edit.recordAfter, edit.recordBefore]
  const wanted = { add, remove, record: from, id: edit.id }
  const done = SURFACES[edit.surface].splice(text ?? '', spliceRequest(edit.file, text, wanted, false))
  if (direction === 'redo' && to !== null) refuseUnknownContainers(edit.file, done.containers, to)
  const made = (from ?? to)?.madeFile === true
  return made && add.length === 0 && isBlankFile(done.text) ? null : done.text
}

/** The record was written before the text changed: a container that is not in it would never be removed. */
const refuseUnknownContainers = (
  file: string,
  containers: readonly ContainerRecord[],
  { containers: known }: HostFileRecord,
): void => {
  const unknown = containers.find((each) => !known.some(({ pointer }) => pointer === each.pointer))
  if (unknown === undefined) return
  throw new GsdError('HOST_SETTINGS_CHANGED', `${quote(file)} changed while it was edited`, {
    hint: 'run the command again; it was left as it is now',
    details: { file },
  })
}

import { diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { HostHook } from '../../state/host-edit.ts'
import { sameHook } from '../edit/host-entry.ts'
import type { SpliceRequest, SpliceResult } from './surface.ts'

/**
 * An executable that is named after the event and runs one hook. A file that differs from what was written belongs to the
 * user: it stays, with a warning.
 */
export const spliceScript = (text: string, request: SpliceRequest): SpliceResult => {
  const { file, id, add, remove, recorded, strict } = request
  const stay = recorded.filter((hook) => ![...add, ...remove].some((each) => sameHook(each, hook)))
  const [desired, second] = [...add, ...stay]
  if (second !== undefined && strict) throw tooManyHooksError(id, file)
  const known = [...recorded, ...remove, ...add].map((hook) => renderScript(id, hook))
  const next = desired === undefined ? '' : renderScript(id, desired)
  if (text !== '' && !known.includes(text)) {
    const warning = diagnostic('warning', 'HOST_ENTRY_EDITED', `${quote(file)} was edited and stays`, {
      file,
      hint: `delete it if it is not needed: ${file}`,
    })
    return { text, patches: [], containers: [], warnings: [warning] }
  }
  const patches = text === next ? [] : [{ offset: 0, remove: text, insert: next }]
  return { text: next, patches, containers: [], warnings: [] }
}

/** The command of a script that this program wrote for a capability; null for any other text. */
export const commandOfScript = (text: string, id: string): string | null => {
  const command = /^exec (.*) "\$@"$/m.exec(text)?.[1]
  return command !== undefined && renderScript(id, { command }) === text ? command : null
}

const renderScript = (id: string, { command }: Pick<HostHook, 'command'>): string =>
  [
    '#!/bin/sh',
    `# A hook of the gsd capability ${id}; gsd capability remove ${id} takes it away.`,
    `exec ${command} "$@"`,
    '',
  ].join('\n')

const tooManyHooksError = (id: string, file: string): GsdError =>
  new GsdError('HOST_UNSUPPORTED', `${quote(id)} has two hooks where this host runs one file: ${quote(file)}`, {
    hint: 'leave this host out with --runtime',
    details: { file },
  })

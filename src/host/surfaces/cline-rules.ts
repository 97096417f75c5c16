import { diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { HostHook } from '../../state/host-edit.ts'
import { isHook, sameHook } from '../edit/host-entry.ts'
import { onlyEntries, type Surface } from './surface.ts'

/**
 * An executable of our own, named after the event, that runs one hook. A file that no longer reads as it was written is
 * the user's: it stays, and is reported.
 */
export const clineRules: Surface = {
  kind: 'cline-rules',
  ownFile: true,
  mode: 0o777,
  splice: (text, request) => {
    const { file, id, add, remove, recorded, strict } = onlyEntries(request, isHook)
    const stay = recorded.filter((hook) => ![...add, ...remove].some((each) => sameHook(each, hook)))
    const [wanted, second] = [...add, ...stay]
    if (second !== undefined && strict) throw tooManyHooksError(id, file)
    const known = [...recorded, ...remove, ...add].map((hook) => renderScript(id, hook))
    const next = wanted === undefined ? '' : renderScript(id, wanted)
    if (text !== '' && !known.includes(text)) {
      const kept = diagnostic('warning', 'HOST_ENTRY_EDITED', `${quote(file)} was edited and stays`, {
        file,
        hint: `delete it if it is not needed: ${file}`,
      })
      return { text, patches: [], containers: [], warnings: [kept] }
    }
    const patches = text === next ? [] : [{ offset: 0, remove: text, insert: next }]
    return { text: next, patches, containers: [], warnings: [] }
  },
}

const renderScript = (id: string, { command }: HostHook): string =>
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

import { dirname } from 'node:path'
import { GsdError } from '../errors.ts'
import { identifyingText } from '../host/edit/host-entry.ts'
import type { HostFileContent } from '../host/edit/open-host-file.ts'
import { openHostFile } from '../host/edit/open-host-file.ts'
import { applyHostEdit, undoHostEdit } from '../host/edit/plan-edit.ts'
import { ensureFolder, removeEmptyFoldersDurably } from '../platform/folders.ts'
import { hashOfText } from '../platform/hash.ts'
import { pathExists } from '../platform/path-exists.ts'
import { prepareReplacement, removeFile, replaceFile, type Replacement } from '../platform/replace-file.ts'
import { syncPath } from '../platform/sync-path.ts'
import { removeTemporary } from '../platform/temporary-file.ts'
import type { HostEdit, HostEntry } from '../state/host-edit.ts'
import type { OperationContext } from './operation-context.ts'
import type { PreparedStep, Step } from './step.ts'

interface HostFileStep {
  readonly operationContext: OperationContext
  readonly file: string
  readonly edits: readonly HostEdit[]
}

/** All edits of one host file. What a user types into it meanwhile stays: the edits go into the text as it is then. */
export const hostStep = (operationContext: OperationContext, file: string, edits: readonly HostEdit[]): Step => {
  const host = { operationContext, file, edits }
  return {
    preflight: () => {
      const { file: real, text, mode } = openHostFile(operationContext.context.disk, file)
      const goes = mode !== null && reapplyEdits(edits)(text) === null
      return { spellings: [], modes: goes ? [{ file: real, mode }] : [] }
    },
    prepare: () => prepareHost(host),
    undo: () => {
      rewriteFile(host, undoEdits(edits))
      if (!pathExists(operationContext.context.disk, file))
        removeEmptyFoldersDurably(operationContext.context.disk, createdFolders(edits))
    },
    isDone: () => {
      const { text } = openHostFile(operationContext.context.disk, file)
      return reapplyEdits(edits)(text) === text
    },
    removeTemporaries: () => removeTemporary(operationContext.context.disk, file, operationContext.operation),
  }
}

type TextChange = (text: string | null) => string | null

/** A text that is the last one planned is done as a whole, and the first one undone as a whole. */
const reapplyEdits =
  (edits: readonly HostEdit[]): TextChange =>
  (text) =>
    hashOfText(text) === edits.at(-1)?.hashAfter ? text : edits.reduce(applyHostEdit, text)

const undoEdits =
  (edits: readonly HostEdit[]): TextChange =>
  (text) => {
    if (hashOfText(text) === edits[0]?.hashBefore) return text
    try {
      return [...edits].reverse().reduce(undoHostEdit, text)
    } catch (error) {
      if (error instanceof GsdError && text !== null && isUntouched(text, edits)) return text
      throw error
    }
  }

/**
 * Whether a text that cannot be understood any more shows nothing of the edits: no script that they add, every script
 * that they remove. Then there is nothing to be taken back, and nobody has to mend the text for our sake.
 */
const isUntouched = (text: string, edits: readonly HostEdit[]): boolean => {
  const shows = (entry: HostEntry): boolean => {
    const mark = identifyingText(entry)
    return mark !== null && [mark, JSON.stringify(mark).slice(1, -1)].some((each) => text.includes(each))
  }
  return edits.every(({ add, remove }) => !add.some(shows) && remove.every(shows))
}

const prepareHost = (host: HostFileStep): PreparedStep => {
  const { operationContext, edits } = host
  const { disk } = operationContext.context
  const found = openHostFile(disk, host.file)
  const after = reapplyEdits(edits)(found.text)
  const commit = (): void => rewriteFile(host, reapplyEdits(edits))
  if (after === found.text || after === null) return { sync: [], folders: [], commit, discard: () => undefined }
  const made = ensureFolder(disk, dirname(found.file))
  const replacement = prepareReplacement(disk, found.file, Buffer.from(after), replaceOptions(host, found))
  return {
    sync: [replacement.temporary, ...made.map((folder) => dirname(folder))],
    folders: [dirname(found.file)],
    commit: () => {
      if (!commitUnlessChanged(replacement)) commit()
    },
    discard: replacement.discard,
  }
}

const commitUnlessChanged = (replacement: Replacement): boolean => {
  try {
    replacement.commit()
    return true
  } catch (error) {
    if (!isChangedError(error)) throw error
    replacement.discard()
    return false
  }
}

/** Typing takes seconds; five times within milliseconds is a program that fights over the file. */
const MAX_ATTEMPTS = 5

/** Brings the file to what `change` makes of the text it has now, again when it changes under our hands. */
const rewriteFile = (host: HostFileStep, change: TextChange): void => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return rewriteFileOnce(host, change)
    } catch (error) {
      if (!isChangedError(error) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

const rewriteFileOnce = (host: HostFileStep, change: TextChange): void => {
  const { disk } = host.operationContext.context
  const found = openHostFile(disk, host.file)
  const after = change(found.text)
  if (after === null && found.hash !== null) removeFile(disk, found.file, found.hash)
  if (after === null || after === found.text) return
  for (const folder of ensureFolder(disk, dirname(found.file))) syncPath(disk, dirname(folder))
  replaceFile(disk, found.file, Buffer.from(after), replaceOptions(host, found))
}

/** Folders made for the file, outermost first. */
const createdFolders = (edits: readonly HostEdit[]): string[] =>
  [...new Set(edits.flatMap(({ recordAfter }) => recordAfter?.madeFolders ?? []))].sort()

const replaceOptions = ({ operationContext, edits }: HostFileStep, found: HostFileContent) => {
  const mode = edits.find((edit) => edit.mode !== undefined)?.mode
  const exactMode = operationContext.modes.get(found.file)
  return {
    operation: operationContext.operation,
    expect: found.hash,
    exactMode,
    ...(mode === undefined ? {} : { mode }),
  }
}

/** Changed before our change, or while it was read. */
const isChangedError = (error: unknown): boolean =>
  error instanceof GsdError && (error.code === 'STATE_CHANGED' || error.code === 'HOST_SETTINGS_CHANGED')

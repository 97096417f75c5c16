import { dirname } from 'node:path'
import { GsdError } from '../errors.ts'
import { applyHostEdit, undoHostEdit } from '../host/edit/apply-edit.ts'
import { identifyingText } from '../host/edit/host-entry.ts'
import type { HostFileContent } from '../host/edit/open-host-file.ts'
import { openHostFile } from '../host/edit/open-host-file.ts'
import { findLinkOut, refuseLinkOut } from '../host/edit/project-links.ts'
import { pathExists, syncPath } from '../platform/disk.ts'
import { ensureFolder, removeEmptyFoldersDurably } from '../platform/folders.ts'
import { hashOfText } from '../platform/hash.ts'
import {
  prepareReplacement,
  removeFile,
  removeTemporary,
  replaceFile,
  type Replacement,
} from '../platform/replace-file.ts'
import type { HostEdit, HostEntry } from '../state/host-edit.ts'
import type { OperationContext } from './operation-context.ts'
import type { PreparedStep, Step } from './step.ts'

interface HostFileStep {
  readonly operationContext: OperationContext
  readonly file: string
  readonly edits: readonly HostEdit[]
}

/** All edits of one host file. Changes that the user makes meanwhile are kept: edits are applied to the current text. */
export const hostStep = (operationContext: OperationContext, file: string, edits: readonly HostEdit[]): Step => {
  const host = { operationContext, file, edits }
  const { disk } = operationContext.context
  const linkOut = (): GsdError | null => findLinkOut(disk, operationContext.paths, file)
  return {
    preflight: () => {
      refuseLinkOut(disk, operationContext.paths, file)
      const { file: real, text, mode } = openHostFile(disk, file)
      const isDeleted = mode !== null && reapplyEdits(edits)(text) === null
      return { formatting: [], modes: isDeleted ? [{ file: real, mode }] : [] }
    },
    prepare: () => prepareHost(host),
    undo: () => {
      // A link that came meanwhile: what is behind it was never changed by this operation.
      if (linkOut() !== null) return
      rewriteFile(host, undoEdits(edits))
      if (!pathExists(disk, file)) removeEmptyFoldersDurably(disk, createdFolders(edits))
    },
    isDone: () => {
      if (linkOut() !== null) return false
      const { text } = openHostFile(disk, file)
      return reapplyEdits(edits)(text) === text
    },
    removeTemporaries: () => {
      if (linkOut() === null) removeTemporary(disk, file, operationContext.operation)
    },
  }
}

type TextChange = (text: string | null) => string | null

/** A text that equals the planned result is left as it is; likewise in {@link undoEdits} one that equals the original. */
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
 * Whether a text that can no longer be parsed shows no trace of the edits: no script that they add, every script that they
 * remove. Then there is nothing to undo, and the user does not have to fix the file first.
 */
const isUntouched = (text: string, edits: readonly HostEdit[]): boolean => {
  const shows = (entry: HostEntry): boolean => {
    const identifier = identifyingText(entry)
    const escaped = JSON.stringify(identifier).slice(1, -1)
    return identifier !== null && [identifier, escaped].some((each) => text.includes(each))
  }
  return edits.every(({ add, remove }) => !add.some(shows) && remove.every(shows))
}

const prepareHost = (host: HostFileStep): PreparedStep => {
  const { operationContext, edits } = host
  const { disk } = operationContext.context
  refuseLinkOut(disk, operationContext.paths, host.file)
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
      refuseLinkOut(disk, operationContext.paths, host.file)
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

/** A user needs seconds for a change; five changes within milliseconds come from another program. */
const MAX_ATTEMPTS = 5

/** Applies a change to the current text of the file, and again when somebody else changes the file meanwhile. */
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
  const { context, paths } = host.operationContext
  const { disk } = context
  refuseLinkOut(disk, paths, host.file)
  const found = openHostFile(disk, host.file)
  const after = change(found.text)
  if (after === null && found.hash !== null) removeFile(disk, found.file, found.hash)
  if (after === null || after === found.text) return
  for (const folder of ensureFolder(disk, dirname(found.file))) syncPath(disk, dirname(folder))
  replaceFile(disk, found.file, Buffer.from(after), replaceOptions(host, found))
}

/** Folders created for the file, outermost first. */
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

/** Whether somebody else changed the file before our change, or while it was read. */
const isChangedError = (error: unknown): boolean =>
  error instanceof GsdError && (error.code === 'STATE_CHANGED' || error.code === 'HOST_SETTINGS_CHANGED')

import { dirname } from 'node:path'
import { GsdError } from '../errors.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import { ensureFolder } from '../platform/folders.ts'
import { sha512Hex } from '../platform/hash.ts'
import { prepareReplacement, removeFile, removeTemporary, replaceFile } from '../platform/replace-file.ts'
import { quote } from '../redact.ts'
import type { Change, OriginalFormatting, StoreName } from '../state/change.ts'
import type { TextPatch } from '../state/host-edit.ts'
import { type JsonObject, jsonText, memberAt, sameJson, withMember } from '../state/json-text.ts'
import { readStoreJson, STORES, storeText, unreadableError } from '../state/stores.ts'
import type { OperationContext } from './operation-context.ts'
import type { PreparedStep, Step, StepPreflight } from './step.ts'

export type RecordChange = Extract<Change, { kind: 'record' }>

export interface RecordStepInput {
  readonly store: StoreName
  readonly changes: readonly RecordChange[]
  readonly originalFormatting: OriginalFormatting | null
}

/** All changed members of one of the program's own files, written at once. */
export const recordStep = (operationContext: OperationContext, step: RecordStepInput): Step => {
  const { context, paths, operation } = operationContext
  const file = STORES[step.store].file(context.user, paths)
  return {
    preflight: () => preflightRecords(operationContext, step, file),
    prepare: () => prepareRecords(operationContext, step, file),
    undo: () => undoRecords(operationContext, step, file),
    isDone: () => {
      const { json } = readCurrentStore(operationContext, step.store)
      return step.changes.every(({ key, after }) => sameJson(memberAt(json, key), after))
    },
    removeTemporaries: () => {
      removeTemporary(context.disk, file, operation)
      if (step.store === 'grants') removeFormerTemporary(operationContext)
    },
  }
}

/** An earlier version was stopped while it replaced `consent.json`. A link to nothing has no file beside it. */
const removeFormerTemporary = ({ context: { disk, user }, operation }: OperationContext): void => {
  try {
    removeTemporary(disk, user.formerGrants, operation)
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
  }
}

const prepareRecords = (operationContext: OperationContext, step: RecordStepInput, file: string): PreparedStep => {
  const { disk } = operationContext.context
  const { json, text, linked } = readCurrentStore(operationContext, step.store)
  for (const { key, before } of step.changes)
    if (!sameJson(memberAt(json, key), before)) throw memberChangedError(file, key)
  const after = textAfter(json, step.changes, linked)
  const expect = text === null ? null : sha512Hex(text)
  if (after === null) {
    const commit = (): void => (text === null ? undefined : removeFile(disk, file, sha512Hex(text)))
    return { sync: [], commit, folders: [], discard: () => undefined }
  }
  const replacement = prepareReplacement(
    disk,
    file,
    Buffer.from(after),
    replaceOptions(operationContext, file, step.store, expect),
  )
  return {
    sync: [replacement.temporary],
    commit: replacement.commit,
    folders: [dirname(replacement.file)],
    discard: replacement.discard,
  }
}

/** Restores the members that still have the value the operation wrote; others were changed by somebody else since. */
const undoRecords = (operationContext: OperationContext, step: RecordStepInput, file: string): void => {
  const { disk } = operationContext.context
  const { json, text, linked } = readCurrentStore(operationContext, step.store)
  const hash = text === null ? null : sha512Hex(text)
  const before = exactTextBefore(step, text) ?? textBefore(json, step.changes, { text, linked })
  if (before === text) return
  if (before === null) return removeFile(disk, file, hash ?? undefined)
  ensureFolder(disk, dirname(file))
  replaceFile(disk, file, Buffer.from(before), replaceOptions(operationContext, file, step.store, hash))
}

const exactTextBefore = ({ originalFormatting }: RecordStepInput, text: string | null): string | null => {
  if (originalFormatting === null || originalFormatting.hashAfter !== (text === null ? null : sha512Hex(text)))
    return null
  const { offset, remove, insert } = originalFormatting.patch
  const now = text ?? ''
  return now.slice(0, offset) + insert + now.slice(offset + remove.length)
}

const textBefore = (
  json: JsonObject,
  changes: readonly RecordChange[],
  { text, linked }: Omit<StoreContent, 'json'>,
): string | null => {
  const applied = changes.filter(({ key, before, after }) => {
    const now = memberAt(json, key)
    return sameJson(now, after) && !sameJson(now, before)
  })
  if (applied.length === 0) return text
  return formattedText(
    applied.reduce((value, { key, before }) => withMember(value, key, before), json),
    linked,
  )
}

const textAfter = (json: JsonObject, changes: readonly RecordChange[], linked: boolean): string | null =>
  formattedText(
    changes.reduce((value, { key, after }) => withMember(value, key, after), json),
    linked,
  )

/** Null when the file is to be deleted. A file behind a link stays, or the link would dangle. */
const formattedText = (json: JsonObject, linked: boolean): string | null =>
  storeText(json) ?? (linked ? jsonText(json) : null)

const preflightRecords = (operationContext: OperationContext, step: RecordStepInput, file: string): StepPreflight => {
  const { json, text, linked } = readCurrentStore(operationContext, step.store)
  if (text === null) return { formatting: [], modes: [] }
  const after = textAfter(json, step.changes, linked)
  const modes = after === null ? [{ file, mode: modeOf(operationContext, file) }] : []
  if (formattedText(json, linked) === text) return { formatting: [], modes }
  const hashAfter = after === null ? null : sha512Hex(after)
  return { formatting: [{ store: step.store, hashAfter, patch: diffTexts(after ?? '', text) }], modes }
}

const modeOf = ({ context }: OperationContext, file: string): number =>
  withDiskErrors('read', file, () => context.disk.lstatSync(file)).mode & 0o7777

const diffTexts = (from: string, to: string): TextPatch => {
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start += 1
  let end = 0
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
  return { offset: start, remove: from.slice(start, from.length - end), insert: to.slice(start, to.length - end) }
}

interface StoreContent {
  readonly json: JsonObject
  /** Null when the file does not exist. */
  readonly text: string | null
  /** The path is a link to the file. */
  readonly linked: boolean
}

const readCurrentStore = ({ context, paths }: OperationContext, store: StoreName): StoreContent => {
  const found = readStoreJson(context.disk, context.user, paths, store)
  if (found.state === 'unreadable') throw unreadableError(found.diagnostic)
  const { kind, file } = STORES[store]
  if (found.state === 'absent') return { json: { schema: kind.schema }, text: null, linked: false }
  const { json, text } = found
  const path = file(context.user, paths)
  return { json, text, linked: withDiskErrors('read', path, () => context.disk.lstatSync(path)).isSymbolicLink() }
}

const replaceOptions = (
  { operation, modes }: OperationContext,
  file: string,
  store: StoreName,
  expect: string | null,
) => {
  const { mode } = STORES[store]
  return { operation, expect, exactMode: modes.get(file), ...(mode === undefined ? {} : { mode }) }
}

const memberChangedError = (file: string, key: readonly string[]): GsdError =>
  new GsdError('STATE_CHANGED', `${quote(key.join('.'))} in ${quote(file)} was changed while this operation ran`, {
    hint: 'try again',
  })

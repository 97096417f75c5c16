import { dirname } from 'node:path'
import { GsdError } from '../../errors.ts'
import type { TextPatch } from '../../host/host-edit.ts'
import { quote } from '../../redact.ts'
import { onDisk } from '../../store/disk-error.ts'
import { ensureFolder } from '../../store/folders.ts'
import { hashOf } from '../../store/hash.ts'
import type { Change, Spelling, StoreName } from '../../store/journal-entry.ts'
import { jsonText, memberAt, sameJson, withMember, type JsonObject } from '../../store/json-text.ts'
import { readRecords, recordsText, STORES, unreadable } from '../../store/records.ts'
import { prepareReplacement, removeFile, replaceFile } from '../../store/replace.ts'
import { dropTemporary } from '../../store/temporary.ts'
import type { Scene } from './scene.ts'
import type { Foresight, PreparedStep, Step } from './step.ts'

export type RecordChange = Extract<Change, { kind: 'record' }>

export interface RecordStep {
  readonly store: StoreName
  readonly changes: readonly RecordChange[]
  readonly spelling: Spelling | null
}

/** Members of one of the program's own files, written all at once. */
export const recordStep = (scene: Scene, step: RecordStep): Step => {
  const { context, places, operation } = scene
  const file = STORES[step.store].file(context.user, places)
  return {
    foresee: () => foreseeRecords(scene, step, file),
    prepare: () => prepareRecords(scene, step, file),
    undo: () => undoRecords(scene, step, file),
    isDone: () => {
      const { json } = readStore(scene, step.store)
      return step.changes.every(({ key, after }) => sameJson(memberAt(json, key), after))
    },
    dropTemporaries: () => dropTemporary(context.disk, file, operation),
  }
}

const prepareRecords = (scene: Scene, step: RecordStep, file: string): PreparedStep => {
  const { disk } = scene.context
  const { json, text, linked } = readStore(scene, step.store)
  for (const { key, before } of step.changes)
    if (!sameJson(memberAt(json, key), before)) throw changedMeanwhile(file, key)
  const after = textAfter(json, step.changes, linked)
  const expect = text === null ? null : hashOf(text)
  if (after === null) {
    const commit = (): void => (text === null ? undefined : removeFile(disk, file, hashOf(text)))
    return { sync: [], commit, folders: [], discard: () => undefined }
  }
  const replacement = prepareReplacement(disk, file, Buffer.from(after), optionsOf(scene, file, step.store, expect))
  return {
    sync: [replacement.temporary],
    commit: replacement.commit,
    folders: [dirname(replacement.file)],
    discard: replacement.discard,
  }
}

/** Members that read as the operation left them become what they were; others were changed by somebody else since. */
const undoRecords = (scene: Scene, step: RecordStep, file: string): void => {
  const { disk } = scene.context
  const { json, text, linked } = readStore(scene, step.store)
  const hash = text === null ? null : hashOf(text)
  const before = spelledBefore(step, text) ?? textBefore(json, step.changes, { text, linked })
  if (before === text) return
  if (before === null) return removeFile(disk, file, hash ?? undefined)
  ensureFolder(disk, dirname(file))
  replaceFile(disk, file, Buffer.from(before), optionsOf(scene, file, step.store, hash))
}

const spelledBefore = ({ spelling }: RecordStep, text: string | null): string | null => {
  if (spelling === null || spelling.hashAfter !== (text === null ? null : hashOf(text))) return null
  const { offset, remove, insert } = spelling.patch
  const now = text ?? ''
  return now.slice(0, offset) + insert + now.slice(offset + remove.length)
}

const textBefore = (
  json: JsonObject,
  changes: readonly RecordChange[],
  { text, linked }: Omit<StoreNow, 'json'>,
): string | null => {
  const applied = changes.filter(({ key, before, after }) => {
    const now = memberAt(json, key)
    return sameJson(now, after) && !sameJson(now, before)
  })
  if (applied.length === 0) return text
  return spelt(
    applied.reduce((value, { key, before }) => withMember(value, key, before), json),
    linked,
  )
}

const textAfter = (json: JsonObject, changes: readonly RecordChange[], linked: boolean): string | null =>
  spelt(
    changes.reduce((value, { key, after }) => withMember(value, key, after), json),
    linked,
  )

/** Null when the file goes. One that a link leads to stays, or the link would lead to nothing. */
const spelt = (json: JsonObject, linked: boolean): string | null =>
  recordsText(json) ?? (linked ? jsonText(json) : null)

const foreseeRecords = (scene: Scene, step: RecordStep, file: string): Foresight => {
  const { json, text, linked } = readStore(scene, step.store)
  if (text === null) return { spellings: [], modes: [] }
  const after = textAfter(json, step.changes, linked)
  const modes = after === null ? [{ file, mode: modeOf(scene, file) }] : []
  if (spelt(json, linked) === text) return { spellings: [], modes }
  const hashAfter = after === null ? null : hashOf(after)
  return { spellings: [{ store: step.store, hashAfter, patch: patchBetween(after ?? '', text) }], modes }
}

const modeOf = ({ context }: Scene, file: string): number =>
  onDisk('look at', file, () => context.disk.lstatSync(file)).mode & 0o7777

const patchBetween = (from: string, to: string): TextPatch => {
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && from[start] === to[start]) start += 1
  let end = 0
  while (end < shorter - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1
  return { offset: start, remove: from.slice(start, from.length - end), insert: to.slice(start, to.length - end) }
}

interface StoreNow {
  readonly json: JsonObject
  /** Null: there is no file. */
  readonly text: string | null
  /** The file is reached by a link. */
  readonly linked: boolean
}

const readStore = ({ context, places }: Scene, store: StoreName): StoreNow => {
  const found = readRecords(context.disk, context.user, places, store)
  if (found.state === 'unreadable') throw unreadable(found.diagnostic)
  const { kind, file } = STORES[store]
  if (found.state === 'absent') return { json: { schema: kind.schema }, text: null, linked: false }
  const { json, text } = found
  const path = file(context.user, places)
  return { json, text, linked: onDisk('look at', path, () => context.disk.lstatSync(path)).isSymbolicLink() }
}

const optionsOf = ({ operation, modes }: Scene, file: string, store: StoreName, expect: string | null) => {
  const { mode } = STORES[store]
  return { operation, expect, exactMode: modes.get(file), ...(mode === undefined ? {} : { mode }) }
}

const changedMeanwhile = (file: string, key: readonly string[]): GsdError =>
  new GsdError('STATE_CHANGED', `${quote(key.join('.'))} in ${quote(file)} was changed while this operation ran`, {
    hint: 'try again',
  })

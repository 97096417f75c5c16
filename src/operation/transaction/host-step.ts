import { dirname } from 'node:path'
import { GsdError } from '../../errors.ts'
import { markOf } from '../../host/entry.ts'
import type { HostEdit, HostEntry } from '../../host/host-edit.ts'
import type { HostText } from '../../host/host-text.ts'
import { openHostFile } from '../../host/open-host-file.ts'
import { redoHostEdit, undoHostEdit } from '../../host/plan-edit.ts'
import { hashOfText } from '../../host/text-hash.ts'
import { ensureFolder, removeForGood } from '../../store/folders.ts'
import { isThere } from '../../store/is-there.ts'
import { prepareReplacement, removeFile, replaceFile, type Replacement } from '../../store/replace.ts'
import { syncPath } from '../../store/sync-path.ts'
import { dropTemporary } from '../../store/temporary.ts'
import type { Scene } from './scene.ts'
import type { PreparedStep, Step } from './step.ts'

interface HostFile {
  readonly scene: Scene
  readonly file: string
  readonly edits: readonly HostEdit[]
}

/** All edits of one host file. What a user types into it meanwhile stays: the edits go into the text as it is then. */
export const hostStep = (scene: Scene, file: string, edits: readonly HostEdit[]): Step => {
  const host = { scene, file, edits }
  return {
    foresee: () => {
      const { file: real, text, mode } = openHostFile(scene.context.disk, file)
      const goes = mode !== null && redone(edits)(text) === null
      return { spellings: [], modes: goes ? [{ file: real, mode }] : [] }
    },
    prepare: () => prepareHost(host),
    undo: () => {
      settle(host, undone(edits))
      if (!isThere(scene.context.disk, file)) removeForGood(scene.context.disk, madeFolders(edits))
    },
    isDone: () => {
      const { text } = openHostFile(scene.context.disk, file)
      return redone(edits)(text) === text
    },
    dropTemporaries: () => dropTemporary(scene.context.disk, file, scene.operation),
  }
}

type TextChange = (text: string | null) => string | null

/** A text that is the last one planned is done as a whole, and the first one undone as a whole. */
const redone =
  (edits: readonly HostEdit[]): TextChange =>
  (text) =>
    hashOfText(text) === edits.at(-1)?.hashAfter ? text : edits.reduce(redoHostEdit, text)

const undone =
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
    const mark = markOf(entry)
    return mark !== null && [mark, JSON.stringify(mark).slice(1, -1)].some((each) => text.includes(each))
  }
  return edits.every(({ add, remove }) => !add.some(shows) && remove.every(shows))
}

const prepareHost = (host: HostFile): PreparedStep => {
  const { scene, edits } = host
  const { disk } = scene.context
  const found = openHostFile(disk, host.file)
  const after = redone(edits)(found.text)
  const commit = (): void => settle(host, redone(edits))
  if (after === found.text || after === null) return { sync: [], folders: [], commit, discard: () => undefined }
  const made = ensureFolder(disk, dirname(found.file))
  const replacement = prepareReplacement(disk, found.file, Buffer.from(after), optionsOf(host, found))
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
    if (!isChanged(error)) throw error
    replacement.discard()
    return false
  }
}

/** Typing takes seconds; five times within milliseconds is a program that fights over the file. */
const MOST_ATTEMPTS = 5

/** Brings the file to what `change` makes of the text it has now, again when it changes under our hands. */
const settle = (host: HostFile, change: TextChange): void => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return settleOnce(host, change)
    } catch (error) {
      if (!isChanged(error) || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

const settleOnce = (host: HostFile, change: TextChange): void => {
  const { disk } = host.scene.context
  const found = openHostFile(disk, host.file)
  const after = change(found.text)
  if (after === null && found.hash !== null) removeFile(disk, found.file, found.hash)
  if (after === null || after === found.text) return
  for (const folder of ensureFolder(disk, dirname(found.file))) syncPath(disk, dirname(folder))
  replaceFile(disk, found.file, Buffer.from(after), optionsOf(host, found))
}

/** Folders made for the file, outermost first. */
const madeFolders = (edits: readonly HostEdit[]): string[] =>
  [...new Set(edits.flatMap(({ recordAfter }) => recordAfter?.madeFolders ?? []))].sort()

const optionsOf = ({ scene, edits }: HostFile, found: HostText) => {
  const mode = edits.find((edit) => edit.mode !== undefined)?.mode
  const exactMode = scene.modes.get(found.file)
  return { operation: scene.operation, expect: found.hash, exactMode, ...(mode === undefined ? {} : { mode }) }
}

/** Changed before our change, or while it was read. */
const isChanged = (error: unknown): boolean =>
  error instanceof GsdError && (error.code === 'STATE_CHANGED' || error.code === 'HOST_SETTINGS_CHANGED')

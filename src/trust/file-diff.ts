import { isUtf8 } from 'node:buffer'

/** One version of a file of a bundle. */
export interface FileVersion {
  /** Null where the file is too large to be compared, or its content is not known any more. */
  readonly bytes: Uint8Array | null
  readonly executable: boolean
}

/** How one file differs between two bundles. */
export interface FileDiff {
  readonly path: string
  readonly change: 'added' | 'removed' | 'changed' | 'none'
  /** It is not text, too large, or too different, so only its name is shown. */
  readonly binary: boolean
  /** `-` or `x`, before and after; null where the mode is the same. */
  readonly mode: { readonly before: '-' | 'x'; readonly after: '-' | 'x' } | null
  /** Numbers of lines. */
  readonly added: number
  readonly removed: number
  /** Changed lines of the new version, as `3` or `3-5`. */
  readonly lines: readonly string[]
  /** A unified diff; of an unchanged file its whole text. Control characters are as in the file. */
  readonly text: string
}

/** The largest file that is shown as text, in bytes. */
export const MAX_SHOWN_BYTES = 512 * 1024
/** Comparing takes time that grows with the square of this number of differing lines. */
const MAX_EDITS = 4000

/** Compares two versions of a file; null: it does not exist there. */
export const compareVersions = async (
  path: string,
  before: FileVersion | null,
  after: FileVersion | null,
): Promise<FileDiff> => {
  const [old, current] = [textOf(before), textOf(after)]
  const base = { path, change: changeOf(before, after), mode: modeOf(before, after), added: 0, removed: 0, lines: [] }
  if (old === null || current === null) return { ...base, binary: true, text: '' }
  if (old === current && base.change !== 'added')
    return { ...base, binary: false, text: base.change === 'none' ? old : '' }
  const { formatPatch, structuredPatch, FILE_HEADERS_ONLY } = await import('diff')
  const names = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`] as const
  const patch = structuredPatch(names[0], names[1], old, current, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  })
  if (patch === undefined) return { ...base, binary: true, text: '' }
  const changes = patch.hunks.flatMap(({ lines }) => lines)
  return {
    ...base,
    binary: false,
    added: changes.filter((line) => line.startsWith('+')).length,
    removed: changes.filter((line) => line.startsWith('-')).length,
    lines: patch.hunks.flatMap(changedRanges),
    text: formatPatch(patch, FILE_HEADERS_ONLY),
  }
}

const changeOf = (before: FileVersion | null, after: FileVersion | null): FileDiff['change'] => {
  if (before === null || after === null) return after === null ? 'removed' : 'added'
  const isSame = before.executable === after.executable && before.bytes !== null && after.bytes !== null
  return isSame && Buffer.compare(before.bytes, after.bytes) === 0 ? 'none' : 'changed'
}

const modeOf = (before: FileVersion | null, after: FileVersion | null): FileDiff['mode'] => {
  const [old, current] = [modeLetter(before), modeLetter(after)]
  return before === null || after === null || old === current ? null : { before: old, after: current }
}

const modeLetter = (version: FileVersion | null): '-' | 'x' => (version?.executable === true ? 'x' : '-')

/** Null: not text. */
const textOf = (version: FileVersion | null): string | null => {
  if (version === null) return ''
  const { bytes } = version
  if (bytes === null || bytes.length > MAX_SHOWN_BYTES || bytes.includes(0) || !isUtf8(bytes)) return null
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Ranges of the new version that differ; a deletion counts as the line it happened before. */
const changedRanges = (hunk: { readonly newStart: number; readonly lines: readonly string[] }): readonly string[] => {
  const changed = new Set<number>()
  let line = hunk.newStart
  for (const text of hunk.lines) {
    if (text.startsWith('\\')) continue
    if (!text.startsWith(' ')) changed.add(Math.max(1, line))
    if (!text.startsWith('-')) line += 1
  }
  const sorted = [...changed].sort((a, b) => a - b)
  const starts = sorted.filter((number) => !changed.has(number - 1))
  const ends = sorted.filter((number) => !changed.has(number + 1))
  return starts.map((start, at) => (start === ends[at] ? `${start}` : `${start}-${ends[at]}`))
}

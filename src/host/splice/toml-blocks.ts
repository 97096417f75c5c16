import type { TomlTable } from 'smol-toml'
import { GsdError } from '../../errors.ts'
import type { TextPatch } from '../../state/host-edit.ts'
import type { SpliceResult } from '../surfaces/surface.ts'
import { shapeError } from './json-document.ts'
import { applyPatches, lineStart, replaceRange } from './text-patch.ts'
import { parseTomlDocument, type TomlDocument } from './toml-document.ts'
import { type Fence, findFences, insertInFence } from './toml-fence.ts'
import type { TomlItem } from './toml-scan.ts'

/** The statements that one entry of ours is written as. */
export interface TomlBlock {
  readonly offset: number
  readonly statements: readonly TomlItem[]
}

/** Blocks to add and to remove, and how the result is proven. */
interface BlockEdits {
  /** Lines of the new blocks. */
  readonly lines: readonly string[]
  readonly gone: readonly TomlBlock[]
  readonly outline: (table: TomlTable) => string
  /** The outline the new text must have, given where the lines were inserted. */
  readonly expected: (insertion: TextPatch | null) => string
}

/**
 * Inserts lines into the capability's fence and removes blocks wherever they are.
 * @throws INTERNAL_ERROR when the new text does not have the expected outline; HOST_SETTINGS_SHAPE
 */
export const spliceBlocks = (
  document: TomlDocument,
  id: string,
  { lines, gone, outline, expected }: BlockEdits,
): Omit<SpliceResult, 'warnings'> => {
  const { file, text } = document
  const fences = findFences(document)
  const own = fences.find((fence) => fence.id === id)
  const insertion = lines.length === 0 ? null : insertInFence(document, own, id, lines)
  const cuts = removeBlocks(document, fences, gone, insertion === null ? null : (own ?? null))
  const patches = [...(insertion === null ? [] : [insertion]), ...cuts].toSorted((a, b) => b.offset - a.offset)
  const after = applyPatches(text, patches)
  if (after === null || outline(parseTomlDocument(after, file).table) !== expected(insertion))
    throw new GsdError('INTERNAL_ERROR', `the edit of ${file} could not be verified; nothing was written`)
  return { text: after, patches, containers: [] }
}

/**
 * Removes the statements of these entries, and a fence that holds nothing else, unless something is inserted into it.
 * @throws HOST_SETTINGS_SHAPE for a line after our block that TOML counts as part of it.
 */
const removeBlocks = (
  document: TomlDocument,
  fences: readonly Fence[],
  gone: readonly TomlBlock[],
  filled: Fence | null,
): TextPatch[] => {
  const { text } = document
  const whole = fences
    .filter((fence) => fence !== filled && gone.some((hook) => isInside(fence, hook.offset)))
    .filter((fence) => becomesEmpty(document, fence, gone))
  const single = gone.filter((hook) => !whole.some((fence) => isInside(fence, hook.offset)))
  for (const hook of gone) requireEndInFence(document, fences, hook)
  return [
    ...whole.flatMap((fence) => removeFence(document, fence)),
    ...single.flatMap(({ statements }) => statements.map(({ start, end }) => removeLine(text, start, end))),
  ]
}

const removeFence = ({ text, items }: TomlDocument, fence: Fence): TextPatch[] => {
  const { begin, end } = fence
  const comments = items.filter((item) => item.kind === 'comment' && isInside(fence, item.start))
  if (comments.length > 0) {
    const statements = items.filter((item) => item.kind !== 'comment' && isInside(fence, item.start))
    return [begin, ...statements, end].map((item) => removeLine(text, item.start, item.end))
  }
  const start = lineStart(text, begin.start)
  const atEnd = end.lineEnd === text.length && !text.endsWith('\n')
  return [
    replaceRange(text, atEnd ? start - (/\r?\n$/.exec(text.slice(0, start))?.[0].length ?? 0) : start, end.lineEnd, ''),
  ]
}

/** Every statement in the fence belongs to a hook that is removed. */
const becomesEmpty = ({ items }: TomlDocument, fence: Fence, gone: readonly TomlBlock[]): boolean =>
  items
    .filter((item) => item.kind !== 'comment' && isInside(fence, item.start))
    .every((item) => gone.some(({ statements }) => statements.includes(item)))

/** In TOML a line after our block belongs to its last table; without the block it would belong to another one. */
const requireEndInFence = (document: TomlDocument, fences: readonly Fence[], hook: TomlBlock): void => {
  const fence = fences.find((each) => isInside(each, hook.offset))
  const misplaced = fence && hook.statements.find((item) => item.start > fence.end.start)
  if (misplaced === undefined) return
  throw shapeError(
    document,
    misplaced.start,
    'this line is after our block, and TOML counts it as part of the block',
    'move it above the block, then run the command again',
  )
}

const isInside = ({ begin, end }: Fence, offset: number): boolean => offset > begin.start && offset < end.start

/** A statement with its line, unless a comment shares it. */
const removeLine = (text: string, start: number, end: number): TextPatch => {
  const rest = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end))
  return rest === null
    ? replaceRange(text, start, end, '')
    : replaceRange(text, lineStart(text, start), end + rest[0].length, '')
}

import type { TextPatch } from '../../state/host-edit.ts'
import { shapeError } from './json-document.ts'
import { replaceRange } from './text-patch.ts'
import { lineStart } from './text-position.ts'
import type { TomlDocument } from './toml-document.ts'
import type { Fence } from './toml-fence.ts'
import type { TomlItem } from './toml-scan.ts'

/** What one entry of ours is written as. */
export interface TomlBlock {
  readonly offset: number
  readonly statements: readonly TomlItem[]
}

/**
 * Cuts the statements of these entries; a fence that holds nothing else then goes with them, unless it is being filled.
 * @throws HOST_SETTINGS_SHAPE for a line that TOML counts as part of our block though it stands behind it.
 */
export const removeBlocks = (
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

/** Every statement in the fence belongs to a hook that goes. */
const becomesEmpty = ({ items }: TomlDocument, fence: Fence, gone: readonly TomlBlock[]): boolean =>
  items
    .filter((item) => item.kind !== 'comment' && isInside(fence, item.start))
    .every((item) => gone.some(({ statements }) => statements.includes(item)))

/** In TOML a line behind our block still belongs to its last table: it would land in another one. */
const requireEndInFence = (document: TomlDocument, fences: readonly Fence[], hook: TomlBlock): void => {
  const fence = fences.find((each) => isInside(each, hook.offset))
  const stray = fence && hook.statements.find((item) => item.start > fence.end.start)
  if (stray === undefined) return
  throw shapeError(
    document,
    stray.start,
    'this line stands behind our block, where TOML counts it as part of it',
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

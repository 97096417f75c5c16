import type { TextPatch } from '../../state/host-edit.ts'
import { shapeError } from './json-document.ts'
import { lineStart } from './text-patch.ts'
import type { TomlDocument } from './toml-document.ts'
import type { TomlItem } from './toml-scan.ts'

/** The two comment lines around the entries of one capability. */
export interface Fence {
  readonly id: string
  readonly begin: TomlItem
  readonly end: TomlItem
}

const BEGIN = /^# >>> gsd capability (\S+) >>>$/
const END = /^# <<< gsd capability (\S+) <<<$/

const fenceLines = (id: string): { readonly begin: string; readonly end: string } => ({
  begin: `# >>> gsd capability ${id} >>>`,
  end: `# <<< gsd capability ${id} <<<`,
})

/** Adds lines to the capability's fence, or a new fence to the end of a text, which keeps its final line end or the lack of it. */
export const insertInFence = (
  { text }: TomlDocument,
  own: Fence | undefined,
  id: string,
  lines: readonly string[],
): TextPatch => {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  if (own !== undefined) return { offset: lineStart(text, own.end.start), remove: '', insert: lines.join(eol) + eol }
  const { begin, end } = fenceLines(id)
  const block = [begin, ...lines, end].join(eol)
  const bare = text === '' || text === '\uFEFF' || text.endsWith('\n')
  return { offset: text.length, remove: '', insert: bare ? block + eol : eol + block }
}

/** All fences of the text. @throws HOST_SETTINGS_SHAPE when one of them is incomplete. */
export const findFences = (document: TomlDocument): Fence[] => {
  const fences: Fence[] = []
  let open: { id: string; begin: TomlItem } | null = null
  const broken = (item: TomlItem, what: string): Error =>
    shapeError(document, item.start, what, 'correct the comment lines around our block, or remove the whole block')
  for (const item of document.items) {
    if (item.kind !== 'comment') continue
    const line = document.text.slice(item.start, item.end)
    const begins = BEGIN.exec(line)?.[1]
    const ends = END.exec(line)?.[1]
    if (begins !== undefined) {
      if (open !== null) throw broken(item, `a fence begins inside the fence of ${open.id}`)
      if (fences.some(({ id }) => id === begins)) throw broken(item, `there is a second fence of ${begins}`)
      open = { id: begins, begin: item }
    }
    if (ends === undefined) continue
    if (open?.id !== ends) throw broken(item, `the fence of ${ends} has no begin`)
    fences.push({ ...open, end: item })
    open = null
  }
  if (open !== null) throw broken(open.begin, `the fence of ${open.id} has no end`)
  return fences
}

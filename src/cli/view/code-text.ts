import type { FileDiff } from '../../trust/file-diff.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'
import { countText, type Style } from './view.ts'

/** Whole files up to this many lines; of longer ones the head. */
const MAX_LINES = 40

export interface CodeTextOptions {
  readonly style: Style
  /** Show every line. */
  readonly all: boolean
  /** What to type to see the rest. */
  readonly rest: string
}

/** The text or the unified diff of one file, as lines. What a reader would not see is written as an escape. */
export const codeLines = (file: FileDiff, { style, all, rest }: CodeTextOptions): string[] => {
  const lines = file.text === '' ? [] : file.text.replace(/\n$/, '').split('\n').map(visible)
  const body = file.change === 'none' ? lines : lines.slice(2)
  const shown = all ? body : body.slice(0, MAX_LINES)
  const left = body.length - shown.length
  return [
    style('bold', `── ${formatFileName(file.path)}${noteOf(file)}`),
    ...(file.binary ? ['   not shown as text'] : []),
    ...shown.map((line) => styled(file, line, style)),
    ...(left > 0 ? [style('dim', `   … ${countText(left, 'more line')}: ${rest}`)] : []),
  ]
}

const noteOf = ({ change, mode, added, removed }: FileDiff): string => {
  const modes = mode === null ? '' : mode.after === 'x' ? ', now executable' : ', no longer executable'
  if (change === 'none') return modes
  return ` (${change === 'added' ? 'new' : change}${modes}, +${added} −${removed})`
}

const styled = ({ change }: FileDiff, line: string, style: Style): string => {
  if (change === 'none') return line
  if (line.startsWith('+')) return style('green', line)
  if (line.startsWith('-')) return style('red', line)
  return line.startsWith('@@') ? style('cyan', line) : line
}

/** Every control, format and direction character but tab, also the start of every escape sequence. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** The text with everything that a reader would not see as an escape. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (found) =>
    found === '\t' ? found : `\\u${found.codePointAt(0)?.toString(16).padStart(4, '0') ?? ''}`,
  )

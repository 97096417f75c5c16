import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { FileDiff } from './file-diff.ts'

const MAX_FILES = 50
const MAX_RANGES = 12

/** Lists changed prose by file and lines. */
export const proseDiagnostic = (id: string, files: readonly FileDiff[]): Diagnostic => {
  const shown = files.slice(0, MAX_FILES).map((file) => `\n  ${formatProse(file)}`)
  const more = files.length > MAX_FILES ? `\n  and ${files.length - MAX_FILES} more` : ''
  return diagnostic('info', 'CONSENT_PROSE', `text of ${quote(id)} changes:${shown.join('')}${more}`, {
    id,
    hint: `gsd capability diff ${id} shows the text`,
  })
}

const formatProse = ({ path, change, lines, added, removed, binary }: FileDiff): string => {
  const name = quote(path)
  if (change === 'removed') return `${name}: removed, ${removed} ${removed === 1 ? 'line' : 'lines'}`
  if (binary || change === 'none') return `${name}: the whole file`
  if (change === 'added') return `${name}: new, ${added} ${added === 1 ? 'line' : 'lines'}`
  const rest = lines.length > MAX_RANGES ? ' and more' : ''
  const word = lines.length === 1 && !lines[0]?.includes('-') ? 'line' : 'lines'
  return `${name}: ${word} ${lines.slice(0, MAX_RANGES).join(', ')}${rest} (+${added} −${removed})`
}

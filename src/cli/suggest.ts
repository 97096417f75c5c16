import type { Code } from '../codes.ts'
import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'

/** Words of other tools, with ours. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['add', 'install'],
  ['i', 'install'],
  ['get', 'install'],
  ['uninstall', 'remove'],
  ['rm', 'remove'],
  ['delete', 'remove'],
  ['un', 'remove'],
  ['ls', 'list'],
  ['ll', 'list'],
  ['show', 'info'],
  ['view', 'info'],
  ['inspect', 'info'],
  ['check', 'validate'],
  ['lint', 'validate'],
  ['plugin', 'capability'],
  ['extension', 'capability'],
  ['-q', '--quiet'],
  ['-v', '--verbose'],
  ['-n', '--dry-run'],
  ['--global', '--scope'],
  ['--local', '--scope'],
])

/** The known word most likely meant, or null. */
export const suggest = (typed: string, known: readonly string[]): string | null => {
  const meant = SYNONYMS.get(typed.toLowerCase())
  if (meant !== undefined && known.includes(meant)) return meant
  return nearestWord(typed, known) ?? completeWord(typed, known)
}

/** `inst` for `install`, `installs` for `install`, if only one word fits. */
const completeWord = (typed: string, known: readonly string[]): string | null => {
  const fitting = known.filter((word) => typed.length > 1 && (word.startsWith(typed) || typed.startsWith(word)))
  return fitting.length === 1 ? (fitting[0] ?? null) : null
}

/** The error for an unknown word or flag, with the nearest known one. */
export const unknownWordError = (
  code: Code,
  what: string,
  typed: string,
  known: readonly string[],
  meant: (word: string) => string = (word) => word,
): GsdError => {
  const nearest = suggest(typed, known)
  return new GsdError(code, `unknown ${what} ${quote(typed)}`, {
    hint: nearest === null ? `known: ${known.join(', ')}` : `did you mean ${meant(nearest)}?`,
    details: { typed, ...(nearest === null ? {} : { suggestion: meant(nearest) }) },
  })
}

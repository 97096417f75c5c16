import { nearestWord } from '../nearest.ts'

/** Words people bring from other tools, with ours. */
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
  ['-y', '--yes'],
  ['-q', '--quiet'],
  ['-v', '--verbose'],
  ['-n', '--dry-run'],
  ['-g', '--scope'],
  ['--global', '--scope'],
  ['--local', '--scope'],
])

/** The known word a typed one was most likely meant to be, or null when none is near. */
export const suggest = (typed: string, known: readonly string[]): string | null => {
  const meant = SYNONYMS.get(typed.toLowerCase())
  if (meant !== undefined && known.includes(meant)) return meant
  return nearestWord(typed, known) ?? completed(typed, known)
}

/** `inst` for `install`, `installs` for `install`: where one word only fits. */
const completed = (typed: string, known: readonly string[]): string | null => {
  const fitting = known.filter((word) => typed.length > 1 && (word.startsWith(typed) || typed.startsWith(word)))
  return fitting.length === 1 ? (fitting[0] ?? null) : null
}

import { quote } from '../../redact.ts'
import type { HiddenCharacter } from './find-hidden-text.ts'

/** A hidden character and its position in a bundle. */
export interface HiddenFinding extends HiddenCharacter {
  /** Relative to the bundle. */
  readonly file: string
  /** `name`: in the file's own name, with line 0. `string`: written as an escape in a string or key of the manifest. */
  readonly in: 'text' | 'name' | 'string'
  /** JSON pointer, in a string of the manifest. */
  readonly pointer?: string
}

/** `SKILL.md:3:7 U+202E, a control that …`. The name of the file is one word, whatever it holds. */
export const formatHiddenFinding = ({
  file,
  line,
  column,
  codePoint,
  what,
  in: place,
  pointer,
}: HiddenFinding): string => {
  const name = formatFileName(file)
  if (place === 'name') return `${name} has ${codePoint} in its name, at column ${column}: ${what}`
  const where = pointer === undefined ? '' : `, in the string at ${formatFileName(pointer)}`
  return `${name}:${line}:${column} ${codePoint}, ${what}${where}`
}

/** A name that a capability chose, as one word that can be told apart from its neighbours. */
export const formatFileName = (name: string): string =>
  /^[\p{L}\p{M}\p{N}./@+_-]+$/u.test(name) ? name : escapeInvisible(name)

/** Writes invisible characters as escapes, which `quote` does not. */
const escapeInvisible = (name: string): string =>
  quote(name).replace(
    /\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )

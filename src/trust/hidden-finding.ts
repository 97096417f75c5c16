import { quote } from '../redact.ts'
import type { HiddenCharacter } from './hidden-text.ts'

/** A hidden character and where it stands in a bundle. */
export interface HiddenFinding extends HiddenCharacter {
  /** Relative to the bundle. */
  readonly file: string
  /** `name`: in the file's own name, with line 0. `string`: spelt with an escape in a string or key of the manifest. */
  readonly in: 'text' | 'name' | 'string'
  /** JSON pointer, in a string of the manifest. */
  readonly pointer?: string
}

/** `SKILL.md:3:7 U+202E, a control that …`. The name of the file is one word, whatever it holds. */
export const hiddenLine = ({ file, line, column, codePoint, what, in: place, pointer }: HiddenFinding): string => {
  const name = nameShown(file)
  if (place === 'name') return `${name} has ${codePoint} in its name, at column ${column}: ${what}`
  const where = pointer === undefined ? '' : `, in the string at ${nameShown(pointer)}`
  return `${name}:${line}:${column} ${codePoint}, ${what}${where}`
}

/** A name that a capability chose, as one word that can be told apart from its neighbours. */
export const nameShown = (name: string): string => (/^[\p{L}\p{M}\p{N}./@+_-]+$/u.test(name) ? name : escaped(name))

/** What is drawn as nothing is spelt out, which JSON leaves to the reader. */
const escaped = (name: string): string =>
  quote(name).replace(
    /\p{Default_Ignorable_Code_Point}|[\ufff9-\ufffb]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )

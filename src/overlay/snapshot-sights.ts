import { MARKS, type Sights } from './look.ts'
import type { Content, Sections, SnapshotFile } from './snapshot-file.ts'

/**
 * What was seen, as sections of a snapshot. Most paths lie below a few folders; each is kept as the number of such a base
 * and the rest.
 */
export const sightSections = (sights: Sights, bases: readonly string[]): Sections => [
  ['bases', json(bases)],
  ['paths', Buffer.from(sights.paths.map((path) => shorten(path, bases)).join('\0'))],
  ['marks', Buffer.from(Float64Array.from(sights.marks).buffer)],
  ['young', json([...sights.young])],
  ['links', json([...sights.links])],
]

/** The other way; null when the sections do not fit together. */
export const sightsIn = (file: SnapshotFile): Sights | null => {
  const bases = file.json('bases') as readonly string[]
  const marks = file.bytes('marks')
  const paths = file
    .bytes('paths')
    .toString('utf8')
    .split('\0')
    .map((path) => lengthen(path, bases))
  if (marks.length !== paths.length * MARKS * Float64Array.BYTES_PER_ELEMENT) return null
  return {
    paths,
    marks: new Float64Array(marks.buffer.slice(marks.byteOffset, marks.byteOffset + marks.length)),
    young: new Map(file.json('young') as [number, string | null][]),
    links: new Map(file.json('links') as [string, string | null][]),
  }
}

const shorten = (path: string, bases: readonly string[]): string => {
  const at = bases.findIndex((base) => path.startsWith(`${base}/`))
  return at === -1 ? `-${path}` : `${at}${path.slice((bases[at] ?? '').length)}`
}

const lengthen = (path: string, bases: readonly string[]): string => {
  const rest = path.slice(1)
  return path.startsWith('-') ? rest : `${bases[path.charCodeAt(0) - ZERO] ?? ''}${rest}`
}

const ZERO = '0'.charCodeAt(0)

/** A value as the content of a section. */
export const json = (value: unknown): Content => [JSON.stringify(value)]

/** A long list, of which never more than one member is held as text. */
export const jsonList = function* (list: readonly unknown[]): Generator<string> {
  yield '['
  for (const [at, member] of list.entries()) yield `${at === 0 ? '' : ','}${JSON.stringify(member)}`
  yield ']'
}

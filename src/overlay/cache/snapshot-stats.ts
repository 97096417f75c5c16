import { STAMP_LENGTH, type TrackedStats } from './file-stamp.ts'
import type { SectionContent, Sections, SnapshotFile } from './snapshot-file.ts'

/**
 * What was seen, as sections of a snapshot. Most paths lie below a few folders; each is kept as the number of such a base
 * and the rest.
 */
export const statSections = (sights: TrackedStats, bases: readonly string[]): Sections => [
  ['bases', jsonSection(bases)],
  ['paths', Buffer.from(sights.paths.map((path) => shortenPath(path, bases)).join('\0'))],
  ['marks', Buffer.from(Float64Array.from(sights.stamps).buffer)],
  ['young', jsonSection([...sights.recentlyChanged])],
  ['links', jsonSection([...sights.links])],
]

/** The other way; null when the sections do not fit together. */
export const readStatSections = (file: SnapshotFile): TrackedStats | null => {
  const bases = file.json('bases') as readonly string[]
  const marks = file.bytes('marks')
  const paths = file
    .bytes('paths')
    .toString('utf8')
    .split('\0')
    .map((path) => expandPath(path, bases))
  if (marks.length !== paths.length * STAMP_LENGTH * Float64Array.BYTES_PER_ELEMENT) return null
  return {
    paths,
    stamps: new Float64Array(marks.buffer.slice(marks.byteOffset, marks.byteOffset + marks.length)),
    recentlyChanged: new Map(file.json('young') as [number, string | null][]),
    links: new Map(file.json('links') as [string, string | null][]),
  }
}

const shortenPath = (path: string, bases: readonly string[]): string => {
  const at = bases.findIndex((base) => path.startsWith(`${base}/`))
  return at === -1 ? `-${path}` : `${at}${path.slice((bases[at] ?? '').length)}`
}

const expandPath = (path: string, bases: readonly string[]): string => {
  const rest = path.slice(1)
  return path.startsWith('-') ? rest : `${bases[path.charCodeAt(0) - ZERO] ?? ''}${rest}`
}

const ZERO = '0'.charCodeAt(0)

/** A value as the content of a section. */
export const jsonSection = (value: unknown): SectionContent => [JSON.stringify(value)]

/** A long list, of which never more than one member is held as text. */
export const jsonListSection = function* (list: readonly unknown[]): Generator<string> {
  yield '['
  for (const [at, member] of list.entries()) yield `${at === 0 ? '' : ','}${JSON.stringify(member)}`
  yield ']'
}

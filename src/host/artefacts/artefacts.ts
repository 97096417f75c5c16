import { posix } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { FeatureManifest } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { PlacedKind } from '../runtime-paths.ts'
import { converterNamed, type Converter } from './converters.ts'

/** A file that is to be placed in a folder of a host. */
export interface Artefact {
  /** Absolute path. */
  readonly file: string
  /** File of the bundle it is made from. */
  readonly source: BundleFile
  readonly convert: (text: string) => string
}

export interface Artefacts {
  readonly files: readonly Artefact[]
  /** What could not be placed, as clauses. */
  readonly left: readonly string[]
}

/**
 * The files that a capability's skills and agents become in one host, by the layout of its descriptor (rule 31): a skill is
 * a folder with `SKILL.md` and all that lies beside it, or one file where the host takes commands; an agent is one file.
 * A stem that has the prefix already does not get it twice.
 */
export const artefactsOf = (
  manifest: FeatureManifest,
  files: readonly BundleFile[],
  layout: readonly PlacedKind[],
): Artefacts => {
  const left: string[] = []
  const placed = layout.flatMap((item): readonly Artefact[] => {
    const stems = item.kind === 'agents' || item.kind === 'kimi-agents' ? manifest.agents : manifest.skills
    if (stems.length === 0) return []
    const converter = converterNamed(item.converter)
    if (item.kind === 'kimi-agents' || converter === undefined) {
      left.push(
        item.kind === 'kimi-agents'
          ? 'its agents have a form of their own, for which there is no writer yet'
          : `${item.kind} need the converter ${quote(item.converter)}, which this program does not have`,
      )
      return []
    }
    return stems.flatMap((stem) =>
      WRITERS[item.kind as keyof typeof WRITERS]({ item, stem, files, converter, manifest }),
    )
  })
  return { files: placed, left }
}

interface Piece {
  readonly item: PlacedKind
  readonly stem: string
  readonly files: readonly BundleFile[]
  readonly converter: Converter
  readonly manifest: FeatureManifest
}

type Writer = (piece: Piece) => readonly Artefact[]

const asFile =
  (folder: 'skills' | 'agents'): Writer =>
  (piece) => {
    const name = nameOf(piece)
    const below = piece.item.nesting === 'nested' ? posix.join(name, `${name}.md`) : `${name}.md`
    return main(piece, folder, below)
  }

const asFolder: Writer = (piece) => {
  const { item, stem, files } = piece
  const name = nameOf(piece)
  const root = `skills/${stem}/`
  const beside = files
    .filter(({ path }) => path.startsWith(root) && path !== `${root}SKILL.md`)
    .map((source): Artefact => ({
      file: posix.join(item.folder, name, source.path.slice(root.length)),
      source,
      convert: (text) => text,
    }))
  return [...main(piece, 'skills', posix.join(name, 'SKILL.md')), ...beside]
}

const WRITERS: { readonly [K in Exclude<PlacedKind['kind'], 'kimi-agents'>]: Writer } = {
  skills: asFolder,
  commands: asFile('skills'),
  agents: asFile('agents'),
}

const main = (piece: Piece, folder: 'skills' | 'agents', below: string): readonly Artefact[] => {
  const { item, stem, files, converter, manifest } = piece
  const paths = folder === 'skills' ? [`skills/${stem}/SKILL.md`, `skills/${stem}.md`] : [`agents/${stem}.md`]
  const source = paths.map((path) => files.find((file) => file.path === path)).find((file) => file !== undefined)
  if (source === undefined) return []
  const names = { name: nameOf(piece), description: manifest.title }
  return [{ file: posix.join(item.folder, below), source, convert: (text) => converter(text, names) }]
}

const nameOf = ({ item: { prefix }, stem }: Piece): string => (stem.startsWith(prefix) ? stem : prefix + stem)

import { posix } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import type { FeatureManifest } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { PlacementFolder } from '../runtimes/runtime-paths.ts'
import { extensionFor, findConverter, type Converter } from './converters.ts'

/** A file that is to be placed in a folder of a host. */
export interface HostArtifact {
  /** Absolute path. */
  readonly file: string
  /** File of the bundle it is made from. */
  readonly source: BundleFile
  readonly convert: (text: string) => string
}

export interface HostArtifacts {
  readonly files: readonly HostArtifact[]
  /** What could not be placed, as clauses. */
  readonly notPlaced: readonly string[]
}

/**
 * The files that a capability's skills and agents become in one host, by the layout of its descriptor (rule 31): a skill is
 * a folder with `SKILL.md` and all files beside it, or one file where the host takes commands; an agent is one file.
 * A stem that has the prefix already does not get it twice.
 */
export const hostArtifacts = (
  manifest: FeatureManifest,
  files: readonly BundleFile[],
  layout: readonly PlacementFolder[],
): HostArtifacts => {
  const notPlaced: string[] = []
  const placed = layout.flatMap((item): readonly HostArtifact[] => {
    const stems = item.kind === 'agents' || item.kind === 'kimi-agents' ? manifest.agents : manifest.skills
    if (stems.length === 0) return []
    const converter = item.kind === 'kimi-agents' ? undefined : findConverter(item.converter, item.kind)
    if (item.kind === 'kimi-agents' || converter === undefined) {
      notPlaced.push(
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
  return { files: placed, notPlaced }
}

interface ArtifactRequest {
  readonly item: PlacementFolder
  readonly stem: string
  readonly files: readonly BundleFile[]
  readonly converter: Converter
  readonly manifest: FeatureManifest
}

type ArtifactWriter = (piece: ArtifactRequest) => readonly HostArtifact[]

const fileWriter =
  (folder: 'skills' | 'agents'): ArtifactWriter =>
  (piece) => {
    const name = prefixedName(piece)
    const file = name + extensionFor(piece.item.converter)
    const below = piece.item.nesting === 'nested' ? posix.join(name, file) : file
    return mainFile(piece, folder, below)
  }

const folderWriter: ArtifactWriter = (piece) => {
  const { item, stem, files } = piece
  const name = prefixedName(piece)
  const root = `skills/${stem}/`
  const otherFiles = files
    .filter(({ path }) => path.startsWith(root) && path !== `${root}SKILL.md`)
    .map((source): HostArtifact => ({
      file: posix.join(item.folder, name, source.path.slice(root.length)),
      source,
      convert: (text) => text,
    }))
  return [...mainFile(piece, 'skills', posix.join(name, 'SKILL.md')), ...otherFiles]
}

const WRITERS: { readonly [K in Exclude<PlacementFolder['kind'], 'kimi-agents'>]: ArtifactWriter } = {
  skills: folderWriter,
  commands: fileWriter('skills'),
  agents: fileWriter('agents'),
}

const mainFile = (piece: ArtifactRequest, folder: 'skills' | 'agents', below: string): readonly HostArtifact[] => {
  const { item, stem, files, converter, manifest } = piece
  const paths = folder === 'skills' ? [`skills/${stem}/SKILL.md`, `skills/${stem}.md`] : [`agents/${stem}.md`]
  const source = paths.map((path) => files.find((file) => file.path === path)).find((file) => file !== undefined)
  if (source === undefined) return []
  const names = { name: prefixedName(piece), description: manifest.title }
  return [{ file: posix.join(item.folder, below), source, convert: (text) => converter(text, names) }]
}

const prefixedName = ({ item: { prefix }, stem }: ArtifactRequest): string =>
  stem.startsWith(prefix) ? stem : prefix + stem

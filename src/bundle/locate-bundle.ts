import { GsdError } from '../errors.ts'
import { MANIFEST_FILE } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { PATH_RULES, brokenPathRule } from './path-rules.ts'

/** A source as a tree in which to find a bundle. Paths are relative to its root. */
export interface FolderView {
  /** Something other than a folder has this path. */
  hasFile(path: string): boolean
  /** Names in a folder ('' is the root), without those that are never part of a bundle. */
  listNames(folder: string): readonly string[]
  isFolder(path: string): boolean
}

export interface BundleQuery {
  /** The wanted capability, if the caller knows it. */
  readonly id?: string | null | undefined
  /** `&path:` of the spec. */
  readonly path?: string | null | undefined
}

/**
 * The folder of the bundle in a source: '' for its root, else a path that ends in `/` (contract, "Specs"): the root, a
 * single top folder, or `capabilities/<id>/`. Throws ARCHIVE_NO_BUNDLE, ARCHIVE_AMBIGUOUS.
 */
export const locateBundle = (tree: FolderView, { id, path }: BundleQuery): string => {
  const bases = ['', ...findTopFolder(tree)]
  if (path != null && path !== '') return locateAtPath(tree, bases, path)
  for (const base of bases) if (tree.hasFile(base + MANIFEST_FILE)) return base
  const found = bases.flatMap((base) => listCapabilityFolders(tree, base))
  const named = id == null ? undefined : found.find((root) => root.endsWith(`/${id}/`))
  if (named !== undefined) return named
  const [only, ...others] = found
  if (only === undefined) throw noBundleError(tree, bases)
  if (others.length > 0) throw ambiguousError(found)
  return only
}

/** The single top folder, if there is one. */
const findTopFolder = (tree: FolderView): string[] => {
  const [name, ...others] = tree.listNames('')
  return name !== undefined && others.length === 0 && tree.isFolder(name) ? [`${name}/`] : []
}

const locateAtPath = (tree: FolderView, bases: readonly string[], given: string): string => {
  const path = given.replace(/^\.\//, '').replace(/\/$/, '')
  const rule = brokenPathRule(path)
  if (rule !== null) {
    throw new GsdError('SPEC_MALFORMED', `the path ${quote(given)} ${PATH_RULES[rule]}`, {
      hint: 'name a folder below the root of the source, such as capabilities/guard',
    })
  }
  const root = bases.map((base) => `${base}${path}/`).find((one) => tree.hasFile(one + MANIFEST_FILE))
  if (root !== undefined) return root
  throw new GsdError('ARCHIVE_NO_BUNDLE', `there is no ${MANIFEST_FILE} in ${quote(given)}`, {
    hint: alternativesHint(tree, bases),
  })
}

const listCapabilityFolders = (tree: FolderView, base: string): string[] =>
  listBundleFolders(tree, `${base}capabilities/`)

const listBundleFolders = (tree: FolderView, folder: string): string[] =>
  tree
    .listNames(folder)
    .map((name) => `${folder}${name}/`)
    .filter((root) => tree.hasFile(root + MANIFEST_FILE))

const noBundleError = (tree: FolderView, bases: readonly string[]): GsdError =>
  new GsdError(
    'ARCHIVE_NO_BUNDLE',
    `there is no ${MANIFEST_FILE} at the root, in a single top folder or in capabilities/<id>/`,
    {
      hint: alternativesHint(tree, bases),
    },
  )

const alternativesHint = (tree: FolderView, bases: readonly string[]): string => {
  const roots = bases.flatMap((base) => [...listBundleFolders(tree, base), ...listCapabilityFolders(tree, base)])
  const found = [...new Set(roots)]
  if (found.length === 0) return 'check that this is the source of a capability: it holds a capability.json'
  return `capabilities were found in ${formatRoots(found)}; ${chooseHint(found)}`
}

const ambiguousError = (found: readonly string[]): GsdError =>
  new GsdError('ARCHIVE_AMBIGUOUS', `several capabilities were found: ${formatRoots(found)}`, {
    hint: chooseHint(found),
    details: { found: found.map((root) => root.slice(0, -1)) },
  })

const chooseHint = ([first = '']: readonly string[]): string =>
  `choose one: in a git spec with \`#path:${first.slice(0, -1)}\` (\`&path:\` behind a ref), of a folder by its own path, of an archive by unpacking it first`

const MAX_SHOWN = 20

const formatRoots = (roots: readonly string[]): string => {
  const names = roots.slice(0, MAX_SHOWN).map((root) => root.slice(0, -1))
  return names.join(', ') + (roots.length > MAX_SHOWN ? ` and ${roots.length - MAX_SHOWN} more` : '')
}

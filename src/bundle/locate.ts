import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { PATH_RULES, pathFault } from './path-rules.ts'

export const MANIFEST = 'capability.json'

/** What a source holds, as far as finding a bundle in it goes. Paths are relative to its root. */
export interface Tree {
  /** Something other than a folder has this path. */
  has(path: string): boolean
  /** Names of what lies in a folder ('' is the root), without what is never part of a bundle. */
  names(folder: string): readonly string[]
  isFolder(path: string): boolean
}

export interface Wanted {
  /** The capability that is looked for, where the caller knows it. */
  readonly id?: string | null | undefined
  /** `&path:` of the spec. */
  readonly path?: string | null | undefined
}

/**
 * Where the bundle lies in a source: '' for its root, else a path that ends in `/` (contract, "Specs"): the root, a
 * single top folder, or `capabilities/<id>/`. Throws ARCHIVE_NO_BUNDLE, ARCHIVE_AMBIGUOUS.
 */
export const locateBundle = (tree: Tree, { id, path }: Wanted): string => {
  const bases = ['', ...topFolder(tree)]
  if (path != null && path !== '') return chosen(tree, bases, path)
  for (const base of bases) if (tree.has(base + MANIFEST)) return base
  const found = bases.flatMap((base) => inCapabilities(tree, base))
  const named = id == null ? undefined : found.find((root) => root.endsWith(`/${id}/`))
  if (named !== undefined) return named
  const [only, ...others] = found
  if (only === undefined) throw noBundle(tree, bases)
  if (others.length > 0) throw ambiguous(found)
  return only
}

/** The single folder that everything lies in, if there is one. */
const topFolder = (tree: Tree): string[] => {
  const [name, ...others] = tree.names('')
  return name !== undefined && others.length === 0 && tree.isFolder(name) ? [`${name}/`] : []
}

const chosen = (tree: Tree, bases: readonly string[], given: string): string => {
  const path = given.replace(/^\.\//, '').replace(/\/$/, '')
  const rule = pathFault(path)
  if (rule !== null) {
    throw new GsdError('SPEC_MALFORMED', `the path ${quote(given)} ${PATH_RULES[rule]}`, {
      hint: 'name a folder below the root of the source, such as capabilities/guard',
    })
  }
  const root = bases.map((base) => `${base}${path}/`).find((one) => tree.has(one + MANIFEST))
  if (root !== undefined) return root
  throw new GsdError('ARCHIVE_NO_BUNDLE', `there is no ${MANIFEST} in ${quote(given)}`, {
    hint: whereElse(tree, bases),
  })
}

const inCapabilities = (tree: Tree, base: string): string[] => foldersWithManifest(tree, `${base}capabilities/`)

const foldersWithManifest = (tree: Tree, folder: string): string[] =>
  tree
    .names(folder)
    .map((name) => `${folder}${name}/`)
    .filter((root) => tree.has(root + MANIFEST))

const noBundle = (tree: Tree, bases: readonly string[]): GsdError =>
  new GsdError(
    'ARCHIVE_NO_BUNDLE',
    `there is no ${MANIFEST} at the root, in a single top folder or in capabilities/<id>/`,
    {
      hint: whereElse(tree, bases),
    },
  )

const whereElse = (tree: Tree, bases: readonly string[]): string => {
  const roots = bases.flatMap((base) => [...foldersWithManifest(tree, base), ...inCapabilities(tree, base)])
  const found = [...new Set(roots)]
  if (found.length === 0) return 'check that this is the source of a capability: it holds a capability.json'
  return `capabilities were found in ${listed(found)}; ${howToChoose(found)}`
}

const ambiguous = (found: readonly string[]): GsdError =>
  new GsdError('ARCHIVE_AMBIGUOUS', `several capabilities were found: ${listed(found)}`, {
    hint: howToChoose(found),
    details: { found: found.map((root) => root.slice(0, -1)) },
  })

const howToChoose = ([first = '']: readonly string[]): string =>
  `choose one: in a git spec with \`#path:${first.slice(0, -1)}\` (\`&path:\` behind a ref), of a folder by its own path, of an archive by unpacking it first`

const SHOWN = 20

const listed = (roots: readonly string[]): string => {
  const names = roots.slice(0, SHOWN).map((root) => root.slice(0, -1))
  return names.join(', ') + (roots.length > SHOWN ? ` and ${roots.length - SHOWN} more` : '')
}

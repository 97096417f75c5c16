import compare from 'semver/functions/compare-build.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js' /** A ref that a server advertises. */
export interface RemoteRef {
  /** `refs/tags/v1.2.0` */
  readonly name: string
  /** Id of the commit, or of the object of an annotated tag. */
  readonly oid: string
  /** The commit that it points to. */
  readonly commit: string
}

export interface RemoteRefs {
  /** Null where the default branch has no commit, or there is none. */
  readonly head: { readonly branch: string | null; readonly commit: string } | null
  /** Full name → ref. */
  readonly refs: ReadonlyMap<string, RemoteRef>
}

const LINE = /^([0-9a-f]{40})\t(\S.*)$/
const SYMREF = /^ref: refs\/heads\/(.*)\tHEAD$/

/** Parses the output of `git ls-remote --symref`. Other lines (other hashes, other symbolic refs) are ignored. */
export const parseRemoteRefs = (text: string): RemoteRefs => {
  const refs = new Map<string, RemoteRef>()
  let branch: string | null = null
  let commit: string | null = null
  for (const line of text.split('\n')) {
    const symref = SYMREF.exec(line)?.[1]
    if (symref !== undefined) branch = symref
    const [, oid, name] = LINE.exec(line) ?? []
    if (oid === undefined || name === undefined) continue
    if (name === 'HEAD') commit = oid
    else if (!name.endsWith('^{}')) refs.set(name, { name, oid, commit: oid })
    else {
      // The peeled line follows that of its tag.
      const tag = refs.get(name.slice(0, -3))
      if (tag !== undefined) refs.set(tag.name, { ...tag, commit: oid })
    }
  }
  return { head: commit === null ? null : { branch, commit }, refs }
}

/** Short names of the tags, or of the branches. */
export const shortNames = ({ refs }: RemoteRefs, prefix: 'refs/tags/' | 'refs/heads/'): readonly string[] =>
  [...refs.keys()].filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))

/** A tag that names a version. */
export interface VersionTag {
  readonly tag: string
  /** Plain SemVer. */
  readonly version: string
  readonly stable: boolean
}

/**
 * The tags that name a version, newest first: `v?X.Y.Z`, and for a subfolder also `<id>-v…` and `<id>@…`, where the id is
 * the subfolder's name (contract, "Specs"). Of two tags of one version the longer comes first.
 */
export const versionTags = (tags: readonly string[], path: string | null): readonly VersionTag[] => {
  const id = path?.split('/').at(-1) ?? null
  return tags
    .flatMap((tag) => {
      const version = parse(versionText(tag, id))
      return version === null ? [] : [{ tag, version, rank: tag.length }]
    })
    .sort((a, b) => compare(b.version, a.version) || b.rank - a.rank || (a.tag < b.tag ? -1 : 1))
    .map(({ tag, version }) => ({ tag, version: version.version, stable: version.prerelease.length === 0 }))
}

/** The newest version tag in a range; without a range the newest stable one. */
export const newestTag = (tags: readonly VersionTag[], range: string | null): VersionTag | null =>
  tags.find(({ version, stable }) => (range === null ? stable : satisfies(version, range))) ?? null

const versionText = (tag: string, id: string | null): string | null => {
  if (id !== null && tag.startsWith(`${id}-v`)) return strictVersion(tag.slice(id.length + 2))
  if (id !== null && tag.startsWith(`${id}@`)) return strictVersion(tag.slice(id.length + 1).replace(/^v/, ''))
  return strictVersion(tag.replace(/^v/, ''))
}

/** `semver` also accepts `v1.2.0`, `=1.2.0` and blanks. */
const strictVersion = (text: string): string | null => (/^\d/.test(text) ? text : null)

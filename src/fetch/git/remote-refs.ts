import compare from 'semver/functions/compare-build.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js' /** A ref as a server advertises it. */
export interface RemoteRef {
  /** `refs/tags/v1.2.0` */
  readonly name: string
  /** What the ref holds: a commit, or the tag object of an annotated tag. */
  readonly oid: string
  /** What it leads to. */
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

/** Reads what `git ls-remote --symref` prints. Lines of another form (other hashes, other symbolic refs) are passed over. */
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

/** A tag that says which version it is. */
export interface VersionTag {
  readonly tag: string
  /** Plain SemVer. */
  readonly version: string
  readonly stable: boolean
}

/**
 * The tags that name a version, newest first: `v?X.Y.Z`, and with a subfolder also `<id>-v…` and `<id>@…`, where the id is
 * the subfolder's last name (contract, "Specs"). Of two tags of one version the more telling comes first.
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

/** The newest version tag in a range, as `semver` understands ranges; null range: the newest stable one. */
export const newestTag = (tags: readonly VersionTag[], range: string | null): VersionTag | null =>
  tags.find(({ version, stable }) => (range === null ? stable : satisfies(version, range))) ?? null

const versionText = (tag: string, id: string | null): string | null => {
  if (id !== null && tag.startsWith(`${id}-v`)) return strictVersion(tag.slice(id.length + 2))
  if (id !== null && tag.startsWith(`${id}@`)) return strictVersion(tag.slice(id.length + 1).replace(/^v/, ''))
  return strictVersion(tag.replace(/^v/, ''))
}

/** `semver` also reads `v1.2.0`, `=1.2.0` and blanks around it. */
const strictVersion = (text: string): string | null => (/^\d/.test(text) ? text : null)

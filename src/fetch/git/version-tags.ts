import compare from 'semver/functions/compare-build.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'

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

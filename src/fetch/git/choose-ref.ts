import { GsdError } from '../../errors.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import type { GitRef, GitSpec } from '../../spec/spec.ts'
import { newestTag, type RemoteRefs, shortNames, versionTags } from './remote-refs.ts'

/** The commit that a spec selects, and how to fetch it. */
export interface GitTarget {
  readonly commit: string
  /** The object to fetch: the commit, or the object of an annotated tag. */
  readonly oid: string
  /** Full name of the ref that advertises it, or null. */
  readonly ref: string | null
  /** Short name, where it is a tag. */
  readonly tag: string | null
  readonly notes: readonly string[]
}

type NamedRef = Exclude<GitRef, { readonly kind: 'sha' }>

/**
 * Selects a spec's commit among the refs of a repository (contract, "Specs"): a tag takes precedence over a branch; without
 * a ref it is the highest stable semver tag, else the default branch, with a note.
 * @throws GsdError FETCH_NO_REF, FETCH_NO_VERSION
 */
export const chooseRef = (spec: GitSpec & { readonly ref: NamedRef | null }, refs: RemoteRefs): GitTarget => {
  const { ref } = spec
  if (ref === null) return newestRelease(spec, refs) ?? defaultBranch(spec, refs)
  if (ref.kind === 'semver') return inRange(spec, ref.range, refs)
  const found = FULL_NAMES[ref.kind](ref.name).find((name) => refs.refs.has(name))
  if (found === undefined) throw unknownRef(spec, ref.name, refs)
  return targetOf(found, refs)
}

const FULL_NAMES = {
  tag: (name) => [`refs/tags/${name}`],
  branch: (name) => [`refs/heads/${name}`],
  any: (name) => [`refs/tags/${name}`, `refs/heads/${name}`, ...(name.startsWith('refs/') ? [name] : [])],
} satisfies Record<Exclude<NamedRef['kind'], 'semver'>, (name: string) => readonly string[]>

const TAGS = 'refs/tags/'

const targetOf = (name: string, { refs }: RemoteRefs, notes: readonly string[] = []): GitTarget => {
  const ref = refs.get(name)
  if (ref === undefined) throw new GsdError('INTERNAL_ERROR', `${quote(name)} is not in the list of refs`)
  return {
    commit: ref.commit,
    oid: ref.oid,
    ref: name,
    tag: name.startsWith(TAGS) ? name.slice(TAGS.length) : null,
    notes,
  }
}

const newestRelease = ({ path }: GitSpec, refs: RemoteRefs): GitTarget | null => {
  const newest = newestTag(versionTags(shortNames(refs, TAGS), path), null)
  return newest === null ? null : targetOf(TAGS + newest.tag, refs)
}

const inRange = (spec: GitSpec, range: string, refs: RemoteRefs): GitTarget => {
  const versions = versionTags(shortNames(refs, TAGS), spec.path)
  const newest = newestTag(versions, range)
  if (newest !== null) return targetOf(TAGS + newest.tag, refs)
  const tags = versions.slice(0, MAX_SHOWN).map(({ tag }) => tag)
  throw new GsdError('FETCH_NO_VERSION', `no tag of ${quote(spec.url)} is in the range ${quote(range)}`, {
    hint:
      tags.length === 0
        ? 'none of its tags is a version: name a branch or a commit'
        : `its newest versions are ${tags.join(', ')}`,
  })
}

const defaultBranch = (spec: GitSpec, refs: RemoteRefs): GitTarget => {
  const { head } = refs
  if (head === null) {
    throw new GsdError('FETCH_NO_REF', `${quote(spec.url)} has no tag that is a version and no default branch`, {
      hint: refHint(refs) ?? 'it may be empty, or not a repository: check the url',
    })
  }
  const named = head.branch === null ? 'its HEAD' : `its default branch ${quote(head.branch)}`
  return {
    commit: head.commit,
    oid: head.commit,
    ref: 'HEAD',
    tag: null,
    notes: [`${quote(spec.url)} has no tag that is a version, so ${named} is used`],
  }
}

const MAX_SHOWN = 5

const unknownRef = (spec: GitSpec, name: string, refs: RemoteRefs): GsdError => {
  const near = nearestWord(name, [...shortNames(refs, TAGS), ...shortNames(refs, 'refs/heads/')])
  const short = /^[0-9a-f]{4,39}$/i.test(name) ? 'for a commit, give all 40 hex digits' : null
  const hints = [near === null ? null : `did you mean #${near}?`, short, refHint(refs)].filter((hint) => hint !== null)
  const kind = spec.ref?.kind === 'tag' || spec.ref?.kind === 'branch' ? spec.ref.kind : 'tag or branch'
  return new GsdError('FETCH_NO_REF', `${quote(spec.url)} has no ${kind} ${quote(name)}`, {
    hint: hints.length === 0 ? 'it has neither tags nor branches' : hints.join('; ').replaceAll('?; ', '? '),
  })
}

/** Refs that exist, or null where there are none. */
const refHint = (refs: RemoteRefs): string | null => {
  const tags = shortNames(refs, TAGS)
  const newest = versionTags(tags, null).map(({ tag }) => tag)
  const shown = (newest.length > 0 ? newest : tags).slice(0, MAX_SHOWN)
  if (shown.length > 0) return `its newest tags are ${shown.join(', ')}`
  const branches = shortNames(refs, 'refs/heads/').slice(0, MAX_SHOWN)
  return branches.length === 0 ? null : `its branches are ${branches.join(', ')}`
}

/** A ref as a server advertises it. */
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

/** Which commit of a repository a git spec wants. */
export type GitRef =
  | { readonly kind: 'any'; readonly name: string }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'branch'; readonly name: string }
  | { readonly kind: 'sha'; readonly sha: string }
  | { readonly kind: 'semver'; readonly range: string }

/** A repository, a commit of it, and a subfolder of that. */
export interface GitSpec {
  readonly kind: 'git'
  /** URL as git takes it: https, ssh or file, without `git+` and fragment. */
  readonly url: string
  readonly ref: GitRef | null
  /** Subfolder of the repository that holds the bundle, with `/`, or null for the root. */
  readonly path: string | null
}

export interface NpmSpec {
  readonly kind: 'npm'
  readonly name: string
  /** Exact version, range or dist-tag; null means the `latest` tag. */
  readonly selector: { readonly kind: 'version' | 'range' | 'tag'; readonly text: string } | null
}

export interface TarballSpec {
  readonly kind: 'tarball'
  /** A file on this machine (absolute path) or an https URL. */
  readonly at: { readonly kind: 'file'; readonly path: string } | { readonly kind: 'url'; readonly url: string }
}

export interface LocalSpec {
  readonly kind: 'local'
  /** Absolute path of a folder. */
  readonly path: string
}

export interface CatalogSpec {
  readonly kind: 'catalog'
  readonly id: string
  readonly range: string | null
  readonly catalog: string
}

/** The text that names a source, understood. Paths are absolute; nothing has been looked at on disk or network. */
export type Spec = GitSpec | NpmSpec | TarballSpec | LocalSpec | CatalogSpec
export type SpecKind = Spec['kind']

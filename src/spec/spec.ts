/** The commit of a repository. */
export type GitRef =
  | { readonly kind: 'any'; readonly name: string }
  | { readonly kind: 'tag'; readonly name: string }
  | { readonly kind: 'branch'; readonly name: string }
  | { readonly kind: 'sha'; readonly sha: string }
  | { readonly kind: 'semver'; readonly range: string }

/** A repository, a commit of it, and a subfolder of it. */
export interface GitSpec {
  readonly kind: 'git'
  /** URL as git takes it: https, ssh or file, without `git+` and fragment. */
  readonly url: string
  readonly ref: GitRef | null
  /** Subfolder of the bundle in the repository, with `/`, or null for the root. */
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

/** A parsed spec. Paths are absolute; nothing is checked on disk or network. */
export type Spec = GitSpec | NpmSpec | TarballSpec | LocalSpec | CatalogSpec
export type SpecKind = Spec['kind']

/** The context of a spec's text. */
export interface SpecContext {
  /** Absolute folder that relative paths start from. */
  readonly cwd: string
  /** Absolute folder that `~/` stands for. */
  readonly home: string
  /** Allows `http` urls of this machine (`--allow-http`); those of other hosts are never allowed. */
  readonly allowHttp?: boolean
}

/** One form of a spec: null for a text of another form; throws for an invalid text of this form. */
export type SpecParser = (text: string, context: SpecContext) => Spec | null

/** A url as typed, split at the first `#`. */
export interface RawUrl {
  /** The whole spec, for messages. */
  readonly text: string
  readonly url: string
  readonly fragment: string | null
}

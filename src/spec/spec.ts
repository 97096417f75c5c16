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

/** What a spec's text is read against. */
export interface SpecContext {
  /** Absolute folder that relative paths start from. */
  readonly cwd: string
  /** Absolute folder that `~/` stands for. */
  readonly home: string
  /** Lets `http` urls of this machine pass (`--allow-http`); those of any other host never do. */
  readonly allowHttp?: boolean
}

/** One way to write a spec: null when the text is not of this form, a throw when it is and is wrong. */
export type SpecParser = (text: string, context: SpecContext) => Spec | null

/** A url as typed, taken apart at the first `#`. */
export interface RawUrl {
  /** The whole spec, for messages. */
  readonly text: string
  readonly url: string
  readonly fragment: string | null
}

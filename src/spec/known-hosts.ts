/** A public host with known paths of repository pages. */
export interface KnownHost {
  readonly host: string
  /** Most segments of a repository's path; more than two with nested groups. */
  readonly maxSegments: number
  /** Pages inside a repository, as people copy them: repository, ref, and subfolder. */
  readonly page: RegExp
}

/** Prefix of the shorthand → host (contract, "Specs"). */
export const KNOWN_HOSTS = {
  github: {
    host: 'github.com',
    maxSegments: 2,
    page: /^\/([^/]+\/[^/]+)\/(?:tree|releases\/tag|commit)\/([^/]+)(?:\/(.+))?$/,
  },
  gitlab: {
    host: 'gitlab.com',
    maxSegments: 20,
    page: /^\/(.+?)\/-\/(?:tree|tags|commit|releases)\/([^/]+)(?:\/(.+))?$/,
  },
  bitbucket: { host: 'bitbucket.org', maxSegments: 2, page: /^\/([^/]+\/[^/]+)\/(?:src|commits)\/([^/]+)(?:\/(.+))?$/ },
} as const satisfies Record<string, KnownHost>

export type KnownHostName = keyof typeof KNOWN_HOSTS

/** The known host with exactly this name; no subdomains. */
export const knownHost = (host: string): KnownHost | null =>
  Object.values(KNOWN_HOSTS).find((known) => known.host === host) ?? null

const SEGMENT = /^[A-Za-z0-9_.~][A-Za-z0-9_.~-]*$/

/** `owner/repo` from `owner/repo`, `owner/repo.git` or either with a slash at the end; null when it names no repository. */
export const repositoryName = (known: KnownHost, path: string): string | null => {
  const name = path.replace(/\/$/, '').replace(/\.git$/, '')
  const parts = name.split('/')
  const fits =
    parts.length >= 2 &&
    parts.length <= known.maxSegments &&
    parts.every((part) => SEGMENT.test(part) && part !== '.' && part !== '..')
  return fits ? name : null
}

const PATH_WITH_AT = /^\/([^@]+\/[^@/]+)@([^@/]+)$/

/** The spec for `owner/repo@ref`, or for the page of a tag, commit or folder of a repository; null for other pages. */
export const specForPage = (known: KnownHost, path: string): string | null => {
  const [, repository, ref, folder] = known.page.exec(path) ?? PATH_WITH_AT.exec(path) ?? []
  if (repository === undefined || ref === undefined) return null
  return `https://${known.host}/${repository}#${ref}${folder === undefined ? '' : `&path:${folder}`}`
}

/** A public host whose repository pages are known by their path. */
export interface KnownHost {
  readonly host: string
  /** How many segments a repository's path may have; groups can be nested where it is more than two. */
  readonly maxSegments: number
  /** Pages inside a repository, as people paste them: repository, ref, and subfolder. */
  readonly page: RegExp
}

/** The shorthand's prefix → the host (contract, "Specs"). */
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

/** The known host that has exactly this name; a look-alike or subdomain is none. */
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

/** What to write for `owner/repo@ref`, or for a page that shows a tag, commit or folder of a repository; null for any other page. */
export const specForPage = (known: KnownHost, path: string): string | null => {
  const [, repository, ref, folder] = known.page.exec(path) ?? PATH_WITH_AT.exec(path) ?? []
  if (repository === undefined || ref === undefined) return null
  return `https://${known.host}/${repository}#${ref}${folder === undefined ? '' : `&path:${folder}`}`
}

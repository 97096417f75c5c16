import { knownHost, repositoryName } from './known-hosts.ts'
import { stripQuerySecrets } from './query-secrets.ts'
import type { Spec } from './spec.ts'

/**
 * Whether both name the same repository and subfolder, package, folder, archive, or entry of a catalog, with any version or
 * ref (contract, "install": another source for the same id is refused without `--replace`).
 */
export const isSameSource = (a: Spec, b: Spec): boolean => sourceKey(a) === sourceKey(b)

/** Text that is equal exactly when the source is the same. */
const sourceKey = (spec: Spec): string => {
  switch (spec.kind) {
    case 'git':
      return JSON.stringify(['git', repositoryKey(spec.url), spec.path])
    case 'npm':
      return JSON.stringify(['npm', spec.name])
    case 'tarball':
      return JSON.stringify(['tarball', spec.at.kind === 'file' ? spec.at.path : stripQuerySecrets(spec.at.url)])
    case 'local':
      return JSON.stringify(['local', spec.path])
    case 'catalog':
      return JSON.stringify(['catalog', spec.catalog, spec.id])
  }
}

/** Known hosts serve a repository by https and ssh and ignore case; other hosts may not. */
const repositoryKey = (url: string): string => {
  const { host, path } = splitHostAndPath(url)
  const known = knownHost(host)
  const name = known === null ? null : repositoryName(known, path)
  return name === null
    ? url.replace(/^(https?:\/\/)[^/@]*@/, '$1').replace(/\.git$/, '')
    : `${host}/${name.toLowerCase()}`
}

const splitHostAndPath = (url: string): { readonly host: string; readonly path: string } => {
  const [, host = '', path = ''] = URL_PARTS.exec(url) ?? SCP_PARTS.exec(url) ?? []
  return { host, path }
}

/** Another port can be another server. */
const URL_PARTS = /^(?:https|ssh):\/\/(?:[^/@]*@)?([^/:]+)\/(.*)$/
const SCP_PARTS = /^[^/@:]+@([^/:]+):\/?(.*)$/

import satisfies from 'semver/functions/satisfies.js'
import type { Spec } from '../../spec/spec.ts'
import type { Resolved } from '../../store/ledger-entry.ts'

/**
 * Whether a source that names one version was let go back to an older one (`--downgrade`): what is recorded as resolved is
 * not what the spec says. That was agreed to, so an update may do it again. False for specs that leave the version open.
 */
export const wentBack = (spec: Spec, { commit, tag, version }: Resolved): boolean => {
  switch (spec.kind) {
    case 'git':
      if (spec.ref === null || spec.ref.kind === 'semver') return false
      return spec.ref.kind === 'sha' ? commit !== spec.ref.sha : tag !== undefined && tag !== spec.ref.name
    case 'npm':
      return spec.selector?.kind === 'version' && isOther(version, spec.selector.text)
    case 'catalog':
      return spec.range !== null && isOther(version, spec.range)
    case 'tarball':
    case 'local':
      return false
  }
}

const isOther = (version: string | undefined, wanted: string): boolean =>
  version !== undefined && !satisfies(version, wanted, { includePrerelease: true })

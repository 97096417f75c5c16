import type { Spec } from './spec.ts'

/** Whether a spec names a version, range, branch, tag or commit of its source. */
export const hasSelector = (spec: Spec): boolean => {
  switch (spec.kind) {
    case 'git':
      return spec.ref !== null
    case 'npm':
      return spec.selector !== null
    case 'catalog':
      return spec.range !== null
    case 'tarball':
    case 'local':
      return false
  }
}

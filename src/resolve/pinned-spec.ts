import { parseSpec } from '../spec/parse-spec.ts'
import type { Spec } from '../spec/spec.ts'
import type { LedgerEntry } from '../state/ledger.ts'

/**
 * The spec of a ledger entry, with what it leaves open set to what was installed, so that the same bytes come again: the
 * commit, the version.
 * @throws SPEC_*
 */
export const pinnedSpec = (
  { spec: text, resolved }: LedgerEntry,
  base: { readonly cwd: string; readonly home: string },
): Spec => {
  const spec = parseSpec(text, { ...base, allowHttp: true })
  switch (spec.kind) {
    case 'git':
      return resolved.commit === undefined ? spec : { ...spec, ref: { kind: 'sha', sha: resolved.commit } }
    case 'npm':
      return resolved.version === undefined ? spec : { ...spec, selector: { kind: 'version', text: resolved.version } }
    case 'catalog':
      return resolved.version === undefined ? spec : { ...spec, range: resolved.version }
    case 'tarball':
    case 'local':
      return spec
  }
}

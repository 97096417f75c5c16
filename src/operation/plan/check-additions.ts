import type { Diagnostic } from '../../diagnostic.ts'
import { errorFromDiagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { StatTracker } from '../../overlay/cache/stat-tracker.ts'
import type { LoadedRegistry } from '../../overlay/loaded-registry.ts'
import { readFragments } from '../../overlay/read-fragments.ts'
import { quote } from '../../redact.ts'
import { checkAddition } from '../../registry/check-change.ts'
import type { Candidate } from '../../registry/registry.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'

/**
 * Composes the set as it would be with the prepared capabilities, by the function that loads it, so that what installs
 * also loads. Returns the warnings.
 * @throws REGISTRY_* and OVERLAY_FRAGMENT: the first finding's code, all of them in `details.diagnostics`
 */
export const checkAdditions = (
  world: LoadedRegistry,
  prepared: readonly Prepared[],
  paths: ScopePaths,
  now: number,
): readonly Diagnostic[] => {
  const tracker = new StatTracker(now)
  const candidates = prepared.map((each) => candidateOf(tracker, each, paths))
  const findings = checkAddition(world.input, candidates, paths.scope).map((finding) =>
    asInstallFinding(finding, prepared),
  )
  const first = findings.find(({ severity }) => severity === 'error')
  if (first === undefined) return findings
  throw errorFromDiagnostic(first, 'OVERLAY_INVALID', { diagnostics: findings })
}

/** Without the place where it was unpacked, which is gone when it is read about, and put as what it is before anything is there. */
const asInstallFinding = (finding: Diagnostic, prepared: readonly Prepared[]): Diagnostic => {
  const { file, line: _line, column: _column, hint, ...rest } = finding
  const passing = file !== undefined && prepared.some(({ staged }) => file.startsWith(`${staged.dir}/`))
  if (!passing) return finding
  if (finding.severity !== 'error') return { ...rest, ...(hint === undefined ? {} : { hint }) }
  const toRemove = hint?.startsWith('gsd capability remove ') === true
  return {
    ...rest,
    message: finding.message.replace(' is skipped: ', ' cannot be installed: '),
    ...(toRemove ? { hint: CONFLICT_HINT } : hint === undefined ? {} : { hint }),
  }
}

const CONFLICT_HINT = 'remove what stands in its way, if that is yours, or ask its author to change it'

const candidateOf = (tracker: StatTracker, { manifest, staged }: Prepared, { scope }: ScopePaths): Candidate => {
  const fragments = readFragments(tracker, staged.dir, manifest)
  if ('texts' in fragments) return { manifest, origin: scope, dir: staged.dir, fragments: fragments.texts }
  throw new GsdError('OVERLAY_FRAGMENT', `${quote(manifest.id)} cannot be installed: ${fragments.reason}`, {
    hint: 'it has to be mended where it comes from; gsd capability validate shows every fault with its place',
    details: { path: fragments.location?.path },
  })
}

import type { Diagnostic } from '../diagnostic.ts'
import { errorOfDiagnostic } from '../diagnostic-error.ts'
import { GsdError } from '../errors.ts'
import { readFragments } from '../overlay/fragments.ts'
import { Witness } from '../overlay/witness.ts'
import type { World } from '../overlay/world.ts'
import { quote } from '../redact.ts'
import { checkAddition } from '../registry/check-change.ts'
import type { Candidate } from '../registry/registry.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { Prepared } from './prepare.ts'

/**
 * Composes the set as it would be with the prepared capabilities, by the function that loads it, so that what installs
 * also loads. Returns the warnings.
 * @throws REGISTRY_* and OVERLAY_FRAGMENT: the first finding's code, all of them in `details.diagnostics`
 */
export const checkAdditions = (
  world: World,
  prepared: readonly Prepared[],
  places: ScopePlaces,
  now: number,
): readonly Diagnostic[] => {
  const witness = new Witness(now)
  const candidates = prepared.map((each) => candidateOf(witness, each, places))
  const findings = checkAddition(world.input, candidates, places.scope)
  const first = findings.find(({ severity }) => severity === 'error')
  if (first === undefined) return findings
  throw errorOfDiagnostic(first, 'OVERLAY_INVALID', { diagnostics: findings })
}

const candidateOf = (witness: Witness, { manifest, staged }: Prepared, { scope }: ScopePlaces): Candidate => {
  const fragments = readFragments(witness, staged.dir, manifest)
  if ('texts' in fragments) return { manifest, origin: scope, dir: staged.dir, fragments: fragments.texts }
  throw new GsdError('OVERLAY_FRAGMENT', `${quote(manifest.id)} cannot be installed: ${fragments.reason}`, {
    details: { path: fragments.place?.path },
  })
}

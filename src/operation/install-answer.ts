import { join } from 'node:path'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { ScopePlaces } from '../store/places.ts'
import type { InstallAnswer, InstalledRow } from './install-request.ts'
import type { InstallStep } from './install-step.ts'
import type { InstallPlan } from './plan-install.ts'

/** A plan, carried out or not, as the command answers it. */
export const installAnswer = (
  plan: InstallPlan,
  places: ScopePlaces,
  warnings: readonly Diagnostic[],
): InstallAnswer => ({
  installed: plan.steps.filter(({ unchanged }) => !unchanged).map((step) => rowOf(step, places)),
  unchanged: plan.steps.filter(({ unchanged }) => unchanged).map(({ prepared }) => prepared.manifest.id),
  warnings: [...warnings, ...plan.steps.flatMap((step) => keptOf(step, places)), ...plan.steps.flatMap(unwiredOf)],
})

const rowOf = ({ prepared, entry, wiring }: InstallStep, places: ScopePlaces): InstalledRow => ({
  id: prepared.manifest.id,
  version: entry.version,
  scope: places.scope,
  digest: entry.digest,
  spec: entry.spec,
  resolved: entry.resolved,
  wired: wiring.wired,
  notWired: wiring.notWired,
  ...(prepared.downgradedFrom === undefined ? {} : { downgradedFrom: prepared.downgradedFrom }),
})

const keptOf = ({ prepared: { manifest }, survivors }: InstallStep, places: ScopePlaces): Diagnostic[] => {
  if (survivors.keptIn === null) return []
  const file = join(places.root, survivors.keptIn)
  const text = `files of ${quote(manifest.id)} that were changed by hand are replaced; yours are kept in ${quote(file)}`
  return [diagnostic('warning', 'STATE_DRIFT', text, { id: manifest.id, scope: places.scope, file })]
}

const unwiredOf = ({ prepared: { manifest }, wiring, unchanged }: InstallStep): Diagnostic[] => {
  const hooks = manifest.role === 'feature' ? (manifest.hooks ?? []).length : 0
  if (unchanged || hooks === 0 || wiring.wired.length > 0 || wiring.notWired.length > 0) return []
  return [
    diagnostic(
      'info',
      'HOST_NOT_WIRED',
      `${quote(manifest.id)} has ${hooks} hook${hooks === 1 ? '' : 's'}, and none is written into any host`,
      {
        id: manifest.id,
        hint: 'to wire them, add --runtime with the host, for example --runtime claude',
      },
    ),
  ]
}

import { GsdError } from '../../errors.ts'
import { openHostFileEditor } from '../../host/wiring/host-file-editor.ts'
import { hasConsent, rewire, type RewireContext } from '../../host/wiring/rewire.ts'
import type { Wiring } from '../../host/wiring/wire.ts'
import { quote } from '../../redact.ts'
import type { Prepared } from '../../resolve/prepare.ts'
import type { InstalledCapability } from '../../state/installed.ts'
import { isSwitchedOff } from '../../state/scope-state.ts'
import { canonicalJson } from '../../trust/signature.ts'
import { type ConsentStep, planConsent } from './plan-consent.ts'

/** Capability → what the user was shown of it and agreed to, as canonical JSON. */
export type Agreed = ReadonlyMap<string, string>

/** A capability of the ledger, and the bundle that is put in place of it; null where the right one is there. */
export interface SyncSource {
  readonly installed: InstalledCapability
  readonly prepared: Prepared | null
}

/** The capability as it will be installed, and the folder in which its files are now. */
export const placeOf = ({
  installed,
  prepared,
}: SyncSource): { readonly installed: InstalledCapability; readonly from: string } => {
  if (prepared === null) return { installed, from: installed.dir }
  const { staged, digest } = prepared
  const { files, manifest } = staged
  const tree = { files, manifest, unexpected: [], notExecutable: [], digest, drift: null }
  return { installed: { ...installed, tree }, from: staged.dir }
}

export interface StepConsent {
  readonly step: ConsentStep
  readonly isAgreed: boolean
}

/**
 * What the user has to agree to before a capability is wired; null where that was granted, and for a disabled one, which is
 * wired by nothing but `enable`.
 * @throws STATE_CHANGED where it is not what was agreed to any more
 */
export const planStepConsent = (rewiring: RewireContext, step: SyncSource, agreed: Agreed): StepConsent | null => {
  const { context, paths, state } = rewiring
  const place = placeOf(step)
  const { id } = place.installed
  if (isSwitchedOff(id, state) || hasConsent(paths, state, place.installed)) return null
  const consent = planConsent(context, paths, state, { ...place, edits: previewEdits(rewiring, place) })
  const shown = agreed.get(id)
  if (shown !== undefined && shown !== canonicalJson(consent.disclosure)) throw changedError(id)
  return { step: consent, isAgreed: shown !== undefined }
}

/** The host files that would be edited, planned on an editor of its own. */
const previewEdits = (rewiring: RewireContext, { installed, from }: ReturnType<typeof placeOf>): Wiring['wired'] => {
  const hostFiles = openHostFileEditor(rewiring.context, { roots: rewiring.paths, hosts: rewiring.state.hostRecords })
  return rewire({ ...rewiring, hostFiles }, installed, { agreed: true, from, onHostError: 'report' }).wiring.wired
}

export const changedError = (id: string): GsdError =>
  new GsdError('STATE_CHANGED', `another operation changed the installed ${quote(id)} in the meantime`, {
    hint: 'run the command again',
    details: { id },
  })

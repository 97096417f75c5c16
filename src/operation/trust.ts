import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadWorld } from '../overlay/load-world.ts'
import { consentSubject, readConsent, type ConsentRecord } from '../store/consent.ts'
import type { ScopePlaces } from '../store/places.ts'
import { unreadable } from '../store/records.ts'
import { canonicalJson } from '../trust/signature.ts'
import type { ConsentDesk } from './consent/consent-desk.ts'
import { refuseHidden } from './consent/refuse-hidden.ts'
import { requireConsent } from './consent/require-consent.ts'
import { warnNames } from './consent/warn-names.ts'
import { manifestOf } from './installed/installed-manifest.ts'
import { readInstalled } from './installed/installed.ts'
import { knowingWhatIs } from './installed/not-installed.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import type { PlanView } from './plan/install-request.ts'
import { planGrant, planRevoke, type GrantPlan, type TrustAnswer } from './plan/plan-trust.ts'
import { commit } from './transaction/commit.ts'
import { hostsHere } from './wiring/hosts-here.ts'

/** What the user agreed to, one record a row. */
export interface TrustRow extends Omit<ConsentRecord, 'files' | 'shown' | 'core'> {
  /** It is about one of the scopes this command sees. */
  readonly here: boolean
}

/** Every record of the consent store. @throws STATE_UNREADABLE, STATE_NEWER_SCHEMA */
export const trustList = (context: Context): readonly TrustRow[] => {
  const file = readConsent(context.disk, context.user)
  if (file.state === 'unreadable') throw unreadable(file.diagnostic)
  if (file.state === 'absent') return []
  const here = new Set(scopesOf(context).map((places) => consentSubject(places).project))
  return [...file.value.grants.values()].map(({ files: _files, shown: _shown, core: _core, ...row }) => ({
    ...row,
    here: here.has(row.project),
  }))
}

export interface TrustRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  /** Let text in that holds characters a reader does not see. */
  readonly allowHidden: boolean
  readonly dryRun: boolean
  readonly desk: ConsentDesk
}

/**
 * Lets installed capabilities in exactly as they are on disk: discloses, asks, records, and wires them into the hosts the
 * ledger names.
 * @throws STATE_NOT_INSTALLED, OVERLAY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const grant = async (context: Context, request: TrustRequest): Promise<TrustAnswer> => {
  const places = placesOf(context, request.scope)
  const known = await hostsHere(context)
  const outlook = await knowingWhatIs(context, places.scope, async () => planGrant(context, request.ids, places, known))
  if (!request.allowHidden) refuseHidden(outlook.disclosures)
  if (request.dryRun) return { ...outlook.answer, plan: planView(outlook) }
  if (outlook.disclosures.length > 0) await warnOfNames(context, request.ids, places)
  await requireConsent(request.desk, outlook.disclosures)
  const plan = () => {
    const now = planGrant(context, request.ids, places, known)
    if (canonicalJson(now.disclosures) === canonicalJson(outlook.disclosures)) return now
    throw new GsdError('STATE_CHANGED', 'the files changed while you were asked, so nothing was let in', {
      hint: 'run the command again to see what they are now',
    })
  }
  if (outlook.changes.length === 0) return outlook.answer
  const { answer } = await commit(context, places, {
    command: `trust grant ${request.ids.join(' ')}`,
    plan,
    brings: () => ({}),
  })
  return answer
}

/** A bundle that somebody put into a project may bear a name that is mistaken for another one. */
const warnOfNames = async (context: Context, ids: readonly string[], places: ScopePlaces): Promise<void> => {
  const { input } = await loadWorld(context)
  const state = readScopeState(context, places)
  const manifests = ids.map((id) => manifestOf(readInstalled(context, places, state, id)))
  const firstParty = input.firstParty.map(({ manifest }) => manifest)
  for (const finding of warnNames(firstParty, manifests)) context.report({ kind: 'warning', diagnostic: finding })
}

const planView = ({ disclosures, changes }: GrantPlan): PlanView => ({ disclosures, changes })

/** Takes consent back, and the capabilities out of every host of the scope. @throws HOST_*, STATE_*, LOCK_* */
export const revoke = async (context: Context, { ids, scope, dryRun }: TrustRequest): Promise<TrustAnswer> => {
  const places = placesOf(context, scope)
  const plan = () => planRevoke(context, ids, places)
  if (dryRun) {
    const { answer, changes } = plan()
    return { ...answer, plan: { disclosures: [], changes } }
  }
  const { answer } = await commit(context, places, {
    command: `trust revoke ${ids.join(' ')}`,
    plan,
    brings: () => ({}),
  })
  return answer
}

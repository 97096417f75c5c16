import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import type { KnownHosts } from '../host/known-hosts.ts'
import { loadWorld } from '../overlay/load-world.ts'
import { quote } from '../redact.ts'
import { consentKey, consentRecordOf, consentSubject, readConsent, type ConsentRecord } from '../store/consent.ts'
import type { Change } from '../store/journal-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { unreadable } from '../store/records.ts'
import { isDisabled } from '../store/state.ts'
import { disclosureOf, type Disclosure } from '../trust/disclosure.ts'
import { canonicalJson, surfaceSignature } from '../trust/signature.ts'
import { surfacesOf } from '../trust/surfaces-of.ts'
import { record, withoutIdle } from './changes.ts'
import { commit } from './commit.ts'
import { hostChanges, openHostBook } from './host-book.ts'
import { hostsHere } from './hosts-here.ts'
import type { ConsentDesk } from './consent-desk.ts'
import { consentableOf } from './consentable.ts'
import type { PlanView } from './install-request.ts'
import { readInstalled, type Installed } from './installed.ts'
import { manifestOf } from './installed-manifest.ts'
import { movedLanes } from './lane-hosts.ts'
import { shownBefore } from './let-in-before.ts'
import { refuseHidden } from './refuse-hidden.ts'
import { requireConsent } from './require-consent.ts'
import { rewire } from './rewire.ts'
import { placesOf } from './scope-places.ts'
import { scanHidden } from './scan-hidden.ts'
import { readScopeState } from './scope-state.ts'
import { warnNames } from './warn-names.ts'
import { unwire } from './wiring.ts'

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

export interface TrustAnswer {
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  /** Only with `--dry-run`: what would have been done. */
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

/**
 * Lets installed capabilities in exactly as they are on disk: discloses, asks, records, and wires them into the hosts the
 * ledger names.
 * @throws STATE_NOT_INSTALLED, OVERLAY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const grant = async (context: Context, request: TrustRequest): Promise<TrustAnswer> => {
  const places = placesOf(context, request.scope)
  const known = await hostsHere(context)
  const outlook = planGrant(context, request, places, known)
  if (!request.allowHidden) refuseHidden(outlook.disclosures)
  if (request.dryRun) return { ...outlook.answer, plan: planView(outlook) }
  if (outlook.disclosures.length > 0) await warnOfNames(context, request.ids, places)
  await requireConsent(request.desk, outlook.disclosures)
  const plan = () => {
    const now = planGrant(context, request, places, known)
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

interface GrantPlan {
  readonly changes: readonly Change[]
  readonly disclosures: readonly Disclosure[]
  readonly answer: TrustAnswer
}

const planGrant = (context: Context, { ids }: TrustRequest, places: ScopePlaces, known: KnownHosts): GrantPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const subject = consentSubject(places)
  const each = [...new Set(ids)].map((id) => {
    const installed = readInstalled(context, places, state, id)
    refuseOddTree(installed)
    const manifest = manifestOf(installed)
    const files = installed.tree?.files ?? []
    const digest = installed.tree?.digest ?? ''
    const surfaces = surfacesOf(manifest, files)
    const key = consentKey(subject.scope, subject.project, id)
    const before = state.consents.grants.get(key) ?? null
    const fresh = consentableOf(context, { manifest, files, digest, surfaces, signature: surfaceSignature(surfaces) })
    const renews = movedLanes(context, manifest, surfaces, before).length > 0
    const after = consentRecordOf(subject, fresh, renews ? null : before, new Date(context.now()))
    const off = isDisabled(id, state.state, null)
    const { wiring, warnings } = off
      ? { wiring: null, warnings: [] }
      : rewire({ context, places, state, book, known }, installed, true)
    const edits = wiring?.wired ?? []
    const spec = installed.entry?.spec ?? `.gsd/capabilities/${id}`
    const hidden = after === before ? [] : scanHidden(context.disk, bundleOf(installed))
    const baseline = before === null ? null : shownBefore(before)
    const disclosure = disclosureOf({
      manifest,
      files,
      scope: places.scope,
      spec,
      digest,
      edits,
      hidden,
      before: baseline,
    })
    return { id, key, before, after, edits, warnings, disclosure }
  })
  const changed = each.filter(({ before, after }) => before !== after)
  return {
    disclosures: changed.map(({ disclosure }) => disclosure),
    changes: withoutIdle([
      ...changed.map(({ key, before, after }) => record('consent', ['grants', key], before, after)),
      ...hostChanges(book),
    ]),
    answer: {
      changed: changed.map(({ id }) => id),
      unchanged: each.filter(({ before, after }) => before === after).map(({ id }) => id),
      wired: each.flatMap(({ id, edits }) => edits.map((edit) => ({ id, ...edit }))),
      unwired: [],
      warnings: [...book.warnings(), ...each.flatMap(({ warnings }) => warnings)],
    },
  }
}

const bundleOf = ({ dir, tree }: Installed) => ({
  dir,
  files: tree?.files ?? [],
  manifest: tree?.manifest ?? new Uint8Array(),
})

/** What no bundle holds would keep it inactive, whatever was agreed to. */
const refuseOddTree = ({ id, tree }: Installed): void => {
  const [first] = tree?.odd ?? []
  if (first === undefined) return
  throw new GsdError('OVERLAY_INVALID', `${quote(id)} holds what no bundle may hold, and cannot be trusted: ${first}`, {
    hint: 'take it out of the folder, or install the capability anew',
    details: { id, odd: tree?.odd },
  })
}

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

const planRevoke = (context: Context, ids: readonly string[], places: ScopePlaces) => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const subject = consentSubject(places)
  const each = [...new Set(ids)].map((id) => {
    const key = consentKey(subject.scope, subject.project, id)
    const unwired = unwire(context, state.hosts, book, id, null).map((file) => ({ id, file }))
    return { id, key, before: state.consents.grants.get(key) ?? null, unwired }
  })
  return {
    changes: withoutIdle([
      ...each.map(({ key, before }) => record('consent', ['grants', key], before, null)),
      ...hostChanges(book),
    ]),
    answer: {
      changed: each.filter(({ before }) => before !== null).map(({ id }) => id),
      unchanged: each.filter(({ before }) => before === null).map(({ id }) => id),
      wired: [],
      unwired: each.flatMap(({ unwired }) => unwired),
      warnings: [
        ...book.warnings(),
        ...each.flatMap(({ id, before }) => (before === null ? [notGranted(id, places)] : [])),
      ],
    },
  }
}

const notGranted = (id: string, { scope }: ScopePlaces): Diagnostic =>
  diagnostic('warning', 'CONSENT_MISSING', `you had not agreed to ${quote(id)} in the ${scope} scope`, { id, scope })

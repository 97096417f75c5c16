import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { KnownHosts } from '../../host/known-hosts.ts'
import { quote } from '../../redact.ts'
import { consentRecordOf, consentSubject, grantKey } from '../../store/consent.ts'
import type { Change } from '../../store/journal-entry.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { disclosureOf, type Disclosure } from '../../trust/disclosure.ts'
import { surfaceSignature } from '../../trust/signature.ts'
import { surfacesOf } from '../../trust/surfaces-of.ts'
import { consentableOf } from '../consent/consentable.ts'
import { movedLanes } from '../consent/lane-hosts.ts'
import { manifestOf } from '../installed/installed-manifest.ts'
import { readInstalled, refuseOddTree, type Installed } from '../installed/installed.ts'
import { entryOf } from '../installed/ledger-entry-of.ts'
import { shownBefore } from '../installed/let-in-before.ts'
import { isOff, readScopeState } from '../installed/scope-state.ts'
import { scanHidden } from '../prepare/scan-hidden.ts'
import { record, withoutIdle } from '../transaction/changes.ts'
import { hostChanges, openHostBook } from '../wiring/host-book.ts'
import { rewire } from '../wiring/rewire.ts'
import { unwire } from '../wiring/wiring.ts'
import type { PlanView } from './install-request.ts'

export interface TrustAnswer {
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  /** Only with `--dry-run`: what would have been done. */
  readonly plan?: PlanView
  readonly warnings: readonly Diagnostic[]
}

/** What a grant is going to do, decided and not begun. */
export interface GrantPlan {
  readonly changes: readonly Change[]
  readonly disclosures: readonly Disclosure[]
  readonly answer: TrustAnswer
}

/** Reads what is on disk and decides everything; writes nothing. @throws STATE_*, OVERLAY_*, HOST_* */
export const planGrant = (
  context: Context,
  ids: readonly string[],
  places: ScopePlaces,
  known: KnownHosts,
): GrantPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const subject = consentSubject(places)
  const each = [...new Set(ids)].map((id) => {
    const installed = readInstalled(context, places, state, id)
    if (installed.tree === null) entryOf(state.ledger.capabilities, id, places)
    refuseOddTree(installed, 'trusted')
    const manifest = manifestOf(installed)
    const files = installed.tree?.files ?? []
    const digest = installed.tree?.digest ?? ''
    const surfaces = surfacesOf(manifest, files)
    const key = grantKey(places, id)
    const before = state.consents.grants.get(key) ?? null
    const fresh = consentableOf(context, { manifest, files, digest, surfaces, signature: surfaceSignature(surfaces) })
    const renews = movedLanes(context, manifest, surfaces, before).length > 0
    const after = consentRecordOf(subject, fresh, renews ? null : before, new Date(context.now()))
    const off = isOff(id, state)
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

/** The same for taking consent back; nothing is disclosed then. @throws STATE_*, HOST_* */
export const planRevoke = (
  context: Context,
  ids: readonly string[],
  places: ScopePlaces,
): Omit<GrantPlan, 'disclosures'> => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const each = [...new Set(ids)].map((id) => {
    const key = grantKey(places, id)
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

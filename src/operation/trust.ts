import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
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
import type { ConsentDesk } from './install-request.ts'
import { readInstalled } from './installed.ts'
import { manifestOf } from './installed-manifest.ts'
import { requireConsent } from './require-consent.ts'
import { rewire } from './rewire.ts'
import { placesOf } from './scope-places.ts'
import { readScopeState } from './scope-state.ts'
import { unwire } from './wiring.ts'

/** What the user agreed to, one record a row. */
export interface TrustRow extends Omit<ConsentRecord, 'files'> {
  /** It is about one of the scopes this command sees. */
  readonly here: boolean
}

/** Every record of the consent store. @throws STATE_UNREADABLE, STATE_NEWER_SCHEMA */
export const trustList = (context: Context): readonly TrustRow[] => {
  const file = readConsent(context.disk, context.user)
  if (file.state === 'unreadable') throw unreadable(file.diagnostic)
  if (file.state === 'absent') return []
  const here = new Set(scopesOf(context).map((places) => consentSubject(places).project))
  return [...file.value.grants.values()].map(({ files: _files, ...row }) => ({ ...row, here: here.has(row.project) }))
}

export interface TrustRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  readonly desk: ConsentDesk
}

export interface TrustAnswer {
  readonly changed: readonly string[]
  readonly unchanged: readonly string[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Lets installed capabilities in exactly as they are on disk: discloses, asks, records, and wires them into the hosts the
 * ledger names.
 * @throws STATE_NOT_INSTALLED, OVERLAY_*, CONSENT_*, HOST_*, STATE_*, LOCK_*
 */
export const grant = async (context: Context, request: TrustRequest): Promise<TrustAnswer> => {
  const places = placesOf(context, request.scope)
  const outlook = planGrant(context, request, places)
  await requireConsent(request.desk, outlook.disclosures)
  const plan = () => {
    const now = planGrant(context, request, places)
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

interface GrantPlan {
  readonly changes: readonly Change[]
  readonly disclosures: readonly Disclosure[]
  readonly answer: TrustAnswer
}

const planGrant = (context: Context, { ids }: TrustRequest, places: ScopePlaces): GrantPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const subject = consentSubject(places)
  const each = [...new Set(ids)].map((id) => {
    const installed = readInstalled(context, places, state, id)
    const manifest = manifestOf(installed)
    const files = installed.tree?.files ?? []
    const digest = installed.tree?.digest ?? ''
    const surfaces = surfacesOf(manifest, files)
    const key = consentKey(subject.scope, subject.project, id)
    const before = state.consents.grants.get(key) ?? null
    const fresh = { manifest, files, digest, signature: surfaceSignature(surfaces) }
    const after = consentRecordOf(subject, fresh, before, new Date(context.now()))
    const off = isDisabled(id, state.state, null)
    const { wiring, warnings } = off
      ? { wiring: null, warnings: [] }
      : rewire({ context, places, state, book }, installed, true)
    const edits = wiring?.wired ?? []
    const spec = installed.entry?.spec ?? `.gsd/capabilities/${id}`
    const disclosure = disclosureOf({ manifest, files, scope: places.scope, spec, digest, edits })
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

/** Takes consent back, and the capabilities out of every host of the scope. @throws HOST_*, STATE_*, LOCK_* */
export const revoke = async (context: Context, { ids, scope }: TrustRequest): Promise<TrustAnswer> => {
  const places = placesOf(context, scope)
  const { answer } = await commit(context, places, {
    command: `trust revoke ${ids.join(' ')}`,
    plan: () => {
      const state = readScopeState(context, places)
      const book = openHostBook(context, state.hosts)
      const subject = consentSubject(places)
      const each = [...new Set(ids)].map((id) => {
        const key = consentKey(subject.scope, subject.project, id)
        const unwired = unwire(state.hosts, book, id, null).map((file) => ({ id, file }))
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
    },
    brings: () => ({}),
  })
  return answer
}

const notGranted = (id: string, { scope }: ScopePlaces): Diagnostic =>
  diagnostic('warning', 'CONSENT_MISSING', `you had not agreed to ${quote(id)} in the ${scope} scope`, { id, scope })

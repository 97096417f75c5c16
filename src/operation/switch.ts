import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic, type ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { type KnownHosts, knownHosts } from '../host/known-hosts.ts'
import { loadWorld } from '../overlay/load-world.ts'
import type { World } from '../overlay/world.ts'
import { quote } from '../redact.ts'
import { checkRemoval } from '../registry/check-change.ts'
import { readHosts } from '../store/hosts.ts'
import type { Change } from '../store/journal-entry.ts'
import type { ScopePlaces } from '../store/places.ts'
import { isDisabled, readState } from '../store/state.ts'
import { readInstalled, refuseOddTree } from './installed/installed.ts'
import { unknownId } from './installed/not-installed.ts'
import { placesOf } from './installed/scope-places.ts'
import { readScopeState } from './installed/scope-state.ts'
import { record, withoutIdle } from './transaction/changes.ts'
import { commit } from './transaction/commit.ts'
import { hostChanges, openHostBook } from './wiring/host-book.ts'
import { rewire } from './wiring/rewire.ts'
import { unwire } from './wiring/wiring.ts'

/** What `capability enable` and `disable` were asked to do. */
export interface SwitchRequest {
  readonly ids: readonly string[]
  readonly scope: ScopeName
  readonly to: 'enabled' | 'disabled'
  readonly dryRun: boolean
}

export interface SwitchAnswer {
  readonly switched: readonly string[]
  readonly unchanged: readonly string[]
  readonly wired: readonly { readonly id: string; readonly runtime: string; readonly file: string }[]
  readonly unwired: readonly { readonly id: string; readonly file: string }[]
  readonly plan?: { readonly changes: readonly Change[] }
  readonly warnings: readonly Diagnostic[]
}

/**
 * Switches capabilities on or off in a scope, first-party ones too. What is off contributes nothing and stands in no host;
 * it stays off over updates. A project may switch off, never on what the user switched off (contract, "Files").
 * @throws STATE_NOT_INSTALLED, STATE_DISABLED, OVERLAY_INVALID, HOST_*, STATE_*, LOCK_*
 */
export const switchTo = async (context: Context, request: SwitchRequest): Promise<SwitchAnswer> => {
  const places = placesOf(context, request.scope)
  const world = await loadWorld(context)
  for (const id of request.ids) requireKnown(world, id)
  if (request.to === 'enabled') refuseOverUser(context, request, places)
  const warnings = [...(request.to === 'disabled' ? dependents(world, request) : []), ...acrossScopes(context, request)]
  const known = knownHosts(world.registry.runtimes.values())
  const plan = () => planSwitch(context, request, places, known)
  if (request.dryRun) {
    const planned = plan()
    return {
      ...planned.answer,
      plan: { changes: planned.changes },
      warnings: [...warnings, ...planned.answer.warnings],
    }
  }
  const verb = request.to === 'enabled' ? 'enable' : 'disable'
  const { answer } = await commit(context, places, {
    command: `${verb} ${request.ids.join(' ')}`,
    plan,
    brings: () => ({}),
  })
  return { ...answer, warnings: [...warnings, ...answer.warnings] }
}

interface SwitchPlan {
  readonly changes: readonly Change[]
  readonly answer: Omit<SwitchAnswer, 'plan'>
}

const planSwitch = (
  context: Context,
  { ids, to }: SwitchRequest,
  places: ScopePlaces,
  known: KnownHosts,
): SwitchPlan => {
  const state = readScopeState(context, places)
  const book = openHostBook(context, state.hosts)
  const off = (id: string): boolean => state.state.capabilities.get(id) === 'disabled'
  const switched = [...new Set(ids)].filter((id) => off(id) !== (to === 'disabled'))
  const rewired =
    to === 'disabled'
      ? []
      : switched.map((id) => {
          const installed = readInstalled(context, places, state, id)
          if (!places.trusted) refuseOddTree(installed, 'enabled')
          return { id, ...rewire({ context, places, state, book, known }, installed, false) }
        })
  const unwired =
    to === 'enabled'
      ? []
      : switched.flatMap((id) => unwire(context, state.hosts, book, id, null).map((file) => ({ id, file })))
  return {
    changes: withoutIdle([
      ...hostChanges(book),
      ...switched.map((id) =>
        record('state', ['capabilities', id], state.state.capabilities.get(id) ?? null, to === 'disabled' ? to : null),
      ),
    ]),
    answer: {
      switched,
      unchanged: [...new Set(ids)].filter((id) => !switched.includes(id)),
      wired: rewired.flatMap(({ id, wiring }) => wiring.wired.map((each) => ({ id, ...each }))),
      unwired,
      warnings: [...book.warnings(), ...rewired.flatMap((each) => each.warnings)],
    },
  }
}

const requireKnown = ({ rows }: World, id: string): void => {
  if (!rows.some((row) => row.id === id)) throw unknownId(id, rows, 'gsd capability list shows what there is')
}

const refuseOverUser = (context: Context, { ids, scope }: SwitchRequest, places: ScopePlaces): void => {
  if (scope !== 'project' || places === context.global) return
  const user = readState(context.disk, context.global)
  const off = ids.find((id) => user.state === 'ok' && user.value.capabilities.get(id) === 'disabled')
  if (off === undefined) return
  throw new GsdError('STATE_DISABLED', `${quote(off)} is disabled by you, and a project cannot enable it`, {
    hint: `gsd capability enable ${off} --scope global`,
    details: { id: off },
  })
}

/** What the switches, and the hosts, of the other scope make of it. */
const acrossScopes = (context: Context, { ids, scope, to }: SwitchRequest): Diagnostic[] => {
  const { disk, global, project } = context
  if (project === null || project === global) return []
  if (to === 'enabled') {
    const here = readState(disk, project)
    const off = scope === 'global' && here.state === 'ok' ? ids.filter((id) => isDisabled(id, null, here.value)) : []
    return off.map((id) =>
      diagnostic('warning', 'OVERLAY_DISABLED', `${quote(id)} stays off here: it is disabled in this project`, {
        id,
        scope: 'project',
        hint: `gsd capability enable ${id} --scope project`,
      }),
    )
  }
  const hosts = readHosts(disk, global)
  if (scope === 'global' || hosts.state !== 'ok') return []
  return [...hosts.value.files].flatMap(([file, { entries }]) =>
    ids
      .filter((id) => Object.hasOwn(entries, id))
      .map((id) =>
        diagnostic('warning', 'OVERLAY_DISABLED', `${quote(id)} stays wired in ${quote(file)}, which counts here too`, {
          id,
          scope: 'global',
          file,
          hint: `gsd capability disable ${id} --scope global takes it out everywhere`,
        }),
      ),
  )
}

/** What will be skipped because it requires something that is switched off. */
const dependents = ({ input }: World, { ids, scope }: SwitchRequest): Diagnostic[] =>
  checkRemoval(input, ids, scope).map((finding) => ({
    ...finding,
    severity: 'warning',
    hint: `gsd capability enable ${ids.join(' ')} --scope ${scope}`,
  }))

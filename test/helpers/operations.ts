import type { Context } from '../../src/context.ts'
import type { ConsentDesk } from '../../src/operation/consent/consent-desk.ts'
import { doctor } from '../../src/operation/doctor.ts'
import { install } from '../../src/operation/install.ts'
import type { InstallRequest } from '../../src/operation/plan/install-request.ts'
import type { RemoveRequest } from '../../src/operation/plan/plan-remove.ts'
import { remove } from '../../src/operation/remove.ts'
import { switchTo, type SwitchRequest } from '../../src/operation/switch.ts'
import { sync, type SyncRequest } from '../../src/operation/sync.ts'
import { recoverFirst } from '../../src/operation/transaction/recover-first.ts'
import { grant, revoke, type TrustRequest } from '../../src/operation/trust.ts'
import { update, type UpdateRequest } from '../../src/operation/update.ts'
import { loadWorld } from '../../src/overlay/load-world.ts'

/** The operations with what a test leaves unsaid, over any context. */
type Ids = string | readonly string[]

const yes: ConsentDesk = { yes: true, ask: null, disclose: () => undefined }

export const installIn = (context: Context, specs: Ids, request: Partial<InstallRequest> = {}) =>
  install(context, {
    specs: [specs].flat(),
    scope: 'global',
    integrity: null,
    runtimes: [],
    settings: null,
    force: false,
    replace: false,
    allowHttp: false,
    allowHidden: false,
    dryRun: false,
    desk: yes,
    ...request,
  })

export const updateIn = (context: Context, ids: Ids = [], request: Partial<UpdateRequest> = {}) =>
  update(context, {
    ids: [ids].flat(),
    scope: 'global',
    force: false,
    allowHttp: false,
    allowHidden: false,
    dryRun: false,
    desk: yes,
    ...request,
  })

export const removeIn = (context: Context, ids: Ids, request: Partial<RemoveRequest> = {}) =>
  remove(context, {
    ids: [ids].flat(),
    scope: 'global',
    runtime: null,
    purgeData: false,
    force: false,
    dryRun: false,
    ...request,
  })

export const switchIn = (context: Context, to: SwitchRequest['to'], ids: Ids, request: Partial<SwitchRequest> = {}) =>
  switchTo(context, { ids: [ids].flat(), scope: 'global', to, dryRun: false, ...request })

export const grantIn = (context: Context, ids: Ids, request: Partial<TrustRequest> = {}) =>
  grant(context, { ids: [ids].flat(), scope: 'project', allowHidden: false, dryRun: false, desk: yes, ...request })

export const revokeIn = (context: Context, ids: Ids, request: Partial<TrustRequest> = {}) =>
  revoke(context, { ids: [ids].flat(), scope: 'project', allowHidden: false, dryRun: false, desk: yes, ...request })

export const syncIn = (context: Context, request: Partial<SyncRequest> = {}) =>
  sync(context, { scope: null, frozen: false, force: false, allowHttp: false, dryRun: false, ...request })

export const fixIn = (context: Context) => doctor(context, { scope: null, fix: true })

export const examineIn = (context: Context) => doctor(context, { scope: null, fix: false })

/** What every command does first, and then a reading one. */
export const readIn = async (context: Context) => {
  await recoverFirst(context)
  return loadWorld(context)
}

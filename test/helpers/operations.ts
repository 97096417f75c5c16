import type { Context } from '../../src/context.ts'
import { doctor } from '../../src/operation/doctor.ts'
import { install } from '../../src/operation/install.ts'
import type { InstallRequest } from '../../src/operation/plan/install-request.ts'
import type { RemoveRequest } from '../../src/operation/plan/plan-remove.ts'
import { remove } from '../../src/operation/remove.ts'
import { setEnabled, type SetEnabledRequest } from '../../src/operation/set-enabled.ts'
import { sync, type SyncRequest } from '../../src/operation/sync.ts'
import { grant, revoke, type TrustRequest } from '../../src/operation/trust.ts'
import { update, type UpdateRequest } from '../../src/operation/update.ts'
import { loadRegistryFor } from '../../src/overlay/load-registry.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'

/** The operations with defaults for the options of tests, over any context. */
type Ids = string | readonly string[]

const NO_CONSENT: ConsentPrompt = { assumeYes: false, confirm: null, disclose: () => undefined }
const CONSENT_GIVEN: ConsentPrompt = { assumeYes: true, confirm: null, disclose: () => undefined }

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
    consentPrompt: CONSENT_GIVEN,
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
    consentPrompt: CONSENT_GIVEN,
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

export const setEnabledIn = (
  context: Context,
  status: SetEnabledRequest['status'],
  ids: Ids,
  request: Partial<SetEnabledRequest> = {},
) =>
  setEnabled(context, {
    ids: [ids].flat(),
    scope: 'global',
    status,
    dryRun: false,
    allowHidden: false,
    consentPrompt: NO_CONSENT,
    ...request,
  })

export const grantIn = (context: Context, ids: Ids, request: Partial<TrustRequest> = {}) =>
  grant(context, {
    ids: [ids].flat(),
    scope: 'project',
    allowHidden: false,
    dryRun: false,
    consentPrompt: CONSENT_GIVEN,
    ...request,
  })

export const revokeIn = (context: Context, ids: Ids, request: Partial<TrustRequest> = {}) =>
  revoke(context, {
    ids: [ids].flat(),
    scope: 'project',
    allowHidden: false,
    dryRun: false,
    consentPrompt: CONSENT_GIVEN,
    ...request,
  })

export const syncIn = (context: Context, request: Partial<SyncRequest> = {}) =>
  sync(context, {
    scope: null,
    frozen: false,
    force: false,
    allowHttp: false,
    allowHidden: false,
    dryRun: false,
    consentPrompt: NO_CONSENT,
    ...request,
  })

export const fixIn = (context: Context) => doctor(context, { scope: null, fix: true })

export const doctorIn = (context: Context) => doctor(context, { scope: null, fix: false })

/** The first step of every command, and then a read. */
export const recoverAndLoad = async (context: Context) => {
  await recoverAllScopes(context)
  return loadRegistryFor(context)
}

import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { mcpFileFor } from '../host/runtimes/config-files.ts'
import { requireKnownHost } from '../host/runtimes/known-hosts.ts'
import { hostChanges, openHostFileEditor } from '../host/wiring/host-file-editor.ts'
import { loadKnownHosts } from '../host/wiring/load-known-hosts.ts'
import { quote } from '../redact.ts'
import { withoutUnchanged, type Change } from '../state/change.ts'
import { scopePathsOf } from '../state/config/resolve-paths.ts'
import { OWN_SERVER_ID, type HostServer } from '../state/host-edit.ts'
import { readScopeState } from '../state/scope-state.ts'
import { runTransaction } from '../transaction/run-transaction.ts'

/** Name of the program's own MCP server in a host. */
export const OWN_SERVER_NAME = 'gsd'

export interface ServerRequest {
  readonly runtime: string
  readonly scope: ScopeName
  /** How the host starts the server; null to remove it. */
  readonly program: { readonly command: string; readonly args: readonly string[] } | null
  readonly dryRun: boolean
  /** Shows what the host will run. */
  readonly disclose: (text: string) => void
  /** Asks for consent; null where nobody can be asked. */
  readonly confirm: (() => Promise<boolean>) | null
  readonly assumeYes: boolean
}

export interface ServerAnswer {
  readonly runtime: string
  readonly scope: ScopeName
  readonly file: string
  readonly changed: boolean
  readonly plan?: { readonly changes: readonly Change[] }
  readonly warnings: readonly Diagnostic[]
}

/**
 * Adds the program's own MCP server to the MCP settings of one host, or removes it; only with consent is it added. The
 * rest of the file stays byte for byte, and removing gives back the bytes from before.
 * @throws HOST_*, CONSENT_REQUIRED, CONSENT_DECLINED, STATE_*, LOCK_*
 */
export const installServer = async (context: Context, request: ServerRequest): Promise<ServerAnswer> => {
  const { runtime: id, scope, program } = request
  const paths = scopePathsOf(context, scope)
  const { runtime } = requireKnownHost(await loadKnownHosts(context), id)
  const place = mcpFileFor(runtime, paths, {
    env: context.env,
    home: context.home,
    exists: existsSync,
    id: OWN_SERVER_ID,
  })
  if ('reason' in place) {
    const hint = 'gsd runtime list shows which hosts take MCP servers'
    throw new GsdError('HOST_UNSUPPORTED', place.reason, { hint, details: { runtime: id } })
  }
  const entries: readonly HostServer[] =
    program === null ? [] : [{ kind: 'server', name: OWN_SERVER_NAME, value: { ...program }, folder: null }]
  const plan = () => {
    const editor = openHostFileEditor(context, { roots: paths, hosts: readScopeState(context, paths).hostRecords })
    const file = editor.setEntries({ ...place, runtime: id, id: OWN_SERVER_ID, entries })
    const changes = withoutUnchanged(hostChanges(editor))
    return { changes, answer: { runtime: id, scope, file, changed: changes.length > 0, warnings: editor.warnings() } }
  }
  const planned = plan()
  if (program !== null && planned.answer.changed) {
    request.disclose(disclosureOf(planned.answer.file, program))
    if (!request.dryRun) await requireConsent(request, planned.answer.file)
  }
  if (request.dryRun) return { ...planned.answer, plan: { changes: planned.changes } }
  if (!planned.answer.changed) return planned.answer
  const verb = program === null ? 'remove' : 'install'
  const { answer } = await runTransaction(context, paths, { command: `mcp ${verb}`, plan, inputs: () => ({}) })
  return answer
}

const disclosureOf = (file: string, { command, args }: NonNullable<ServerRequest['program']>): string =>
  [
    `an MCP server named ${quote(OWN_SERVER_NAME)} goes into ${file}; the host will run:`,
    `  ${[command, ...args].map(quote).join(' ')}`,
  ].join('\n')

const requireConsent = async ({ runtime, program, assumeYes, confirm }: ServerRequest, file: string): Promise<void> => {
  if (assumeYes) return
  const details = { disclosure: { runtime, file, server: OWN_SERVER_NAME, ...program } }
  if (confirm === null)
    throw new GsdError(
      'CONSENT_REQUIRED',
      `adding the MCP server to ${quote(runtime)} needs your consent, and there is no terminal to ask on`,
      {
        hint: 'read what is disclosed, then add --yes',
        details,
      },
    )
  if (await confirm()) return
  throw new GsdError('CONSENT_DECLINED', `you did not consent; nothing was changed`, { details })
}

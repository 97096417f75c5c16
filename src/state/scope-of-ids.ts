import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { ScopeName } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { pathExists } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { scopesOf } from './config/resolve-paths.ts'
import { readLedger } from './ledger.ts'
import { isCapabilityId } from './name-rules.ts'

/**
 * The scope in which all of these capabilities are installed, for a command without `--scope` (contract, "Command line").
 * The global scope when none is installed anywhere; the command then reports that.
 * @throws USAGE_AMBIGUOUS_SCOPE when one is installed in both scopes, or not all in the same
 */
export const scopeOfIds = (context: Context, ids: readonly string[]): ScopeName => {
  const ledgers = scopesOf(context).map((paths) => ({ scope: paths.scope, ledger: readLedger(context.disk, paths) }))
  const holders = ids.map((id) => ({
    id,
    scopes: ledgers
      .filter(({ ledger }) => ledger.state === 'ok' && ledger.value.capabilities.has(id))
      .map(({ scope }) => scope),
  }))
  const scopes = new Set(holders.flatMap((holder) => holder.scopes))
  const inBoth = holders.find((holder) => holder.scopes.length > 1)
  if (inBoth !== undefined) throw ambiguous(`${quote(inBoth.id)} is installed in both scopes`)
  if (scopes.size > 1) throw ambiguous(`${ids.map(quote).join(', ')} are not all in one scope`)
  const [only] = scopes
  return only ?? ledgers.find(({ ledger }) => ledger.state === 'unreadable')?.scope ?? context.global.scope
}

/**
 * The scope that has bundle folders for all of these capabilities, even if they are not in its ledger.
 * @throws USAGE_AMBIGUOUS_SCOPE
 */
export const scopeOfFolders = (context: Context, ids: readonly string[]): ScopeName => {
  const holders = scopesOf(context).filter(({ capabilities }) =>
    ids.every((id) => isCapabilityId(id) && pathExists(context.disk, join(capabilities, id))),
  )
  if (holders.length > 1)
    throw ambiguous(`${ids.map(quote).join(', ')} ${ids.length === 1 ? 'is' : 'are'} in both scopes`)
  return holders[0]?.scope ?? scopeOfIds(context, ids)
}

const ambiguous = (message: string): GsdError =>
  new GsdError('USAGE_AMBIGUOUS_SCOPE', message, { hint: 'add --scope global or --scope project' })

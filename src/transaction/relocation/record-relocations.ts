import type { Context } from '../../context.ts'
import { ensureFolder, removeEmptyFolders } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { removeFile, replaceFile } from '../../platform/replace-file.ts'
import { quote } from '../../redact.ts'
import { scopesOf } from '../../state/config/resolve-paths.ts'
import { type Json, type JsonObject, withMember } from '../../state/json-text.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { readStoreJson, STORES, storeText, unreadableError } from '../../state/stores.ts'
import { newOperationName } from '../operation-context.ts'
import { findRelocations } from './find-relocations.ts'

/**
 * Records the host entries that came with a moved or copied folder, and reports it. The locks of the scope and the home are
 * held, so nobody writes the other record meanwhile. If it is interrupted, the former path keeps a record that nobody reads.
 * @throws STATE_*
 */
export const recordRelocations = (context: Context, paths: ScopePaths): void => {
  for (const { from, isCopy, records, obsolete } of findRelocations(context, paths)) {
    rewriteHostRecords(context, paths, [...records])
    if (obsolete !== null) {
      const { files } = obsolete
      rewriteHostRecords(
        context,
        { ...paths, ...obsolete.paths },
        files.map((file) => [file, null]),
      )
      removeEmptyFolders(context.disk, [obsolete.paths.private])
    }
    const text = `${describeRelocation(paths, from, isCopy)}; its entries in host files are recorded now`
    context.report({ kind: 'notice', text: `${text}; run gsd capability doctor to see what else to do` })
  }
}

/** For a command that may not write: its answer about hosts leaves out what came with a moved or copied folder. */
export const reportRelocations = (context: Context): void => {
  for (const paths of scopesOf(context)) {
    for (const { from, isCopy } of findRelocations(context, paths)) {
      const text = `${describeRelocation(paths, from, isCopy)}; its entries in host files are not recorded yet`
      context.report({ kind: 'notice', text: `${text}; run gsd capability doctor to record them` })
    }
  }
}

const describeRelocation = ({ realRoot }: ScopePaths, from: string | null, isCopy: boolean): string => {
  if (from === null)
    return `${quote(realRoot)} came with entries in host files that were written elsewhere, or before a record was lost`
  return `${quote(realRoot)} ${isCopy ? 'is a copy of' : 'was moved from'} ${quote(from)}`
}

const rewriteHostRecords = (
  context: Context,
  paths: ScopePaths,
  members: readonly (readonly [string, Json])[],
): void => {
  const { disk, user } = context
  const found = readStoreJson(disk, user, paths, 'hosts')
  if (found.state === 'unreadable') throw unreadableError(found.diagnostic)
  const before: JsonObject = found.state === 'ok' ? found.json : { schema: STORES.hosts.kind.schema }
  const after = members.reduce((json, [file, record]) => withMember(json, ['files', file], record), before)
  const expect = found.state === 'ok' ? sha512Hex(found.text) : null
  const text = storeText(after)
  if (text === null) return expect === null ? undefined : removeFile(disk, paths.hosts, expect)
  ensureFolder(disk, paths.private)
  const { mode } = STORES.hosts
  const options = { operation: newOperationName(context), expect, ...(mode === undefined ? {} : { mode }) }
  replaceFile(disk, paths.hosts, Buffer.from(text), options)
}

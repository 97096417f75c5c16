import { join } from 'node:path'
import type { Disk } from '../platform/disk.ts'
import { memberOf, membersOf, optional, stringOf } from './json-member.ts'
import { isCapabilityId } from './name-rules.ts'
import type { StateFileKind } from './parse-state-file.ts'
import type { ScopePaths } from './scope-paths.ts'
import { readStateFile } from './state-file.ts'

/** What GSD Core installed into the same folders: id → the source that it recorded. */
export type CoreLedger = ReadonlyMap<string, string>

/** The ledger of GSD Core in a scope. It is only read; never written. */
export const coreLedgerFile = ({ root }: Pick<ScopePaths, 'root'>): string => join(root, '.gsd-capabilities.json')

/** Reads it; empty where it does not exist or has another shape, for it decides nothing. */
export const readCoreLedger = (disk: Disk, paths: ScopePaths): CoreLedger => {
  const file = readStateFile(disk, coreLedgerFile(paths), CORE_LEDGER_FILE, { followLinks: paths.trusted })
  return file.state === 'ok' ? file.value : new Map()
}

const CORE_LEDGER_FILE: StateFileKind<CoreLedger> = {
  name: 'ledger of GSD Core',
  schema: null,
  hint: 'repair it with GSD Core',
  parse: (root) =>
    new Map(
      membersOf(memberOf(root, 'entries'), isCapabilityId, 'capability id').map(([id, entry]) => [
        id,
        optional(memberOf(entry, 'source'), stringOf) ?? '',
      ]),
    ),
}

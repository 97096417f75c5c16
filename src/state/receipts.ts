import { join } from 'node:path'
import type { Disk } from '../platform/disk.ts'
import type { DeclaredGate } from '../registry/lost-gate.ts'
import { booleanOf, itemsOf, memberOf, membersOf, optional, sriOf, textIn, textOf } from './json-member.ts'
import { jsonText } from './json-text.ts'
import { isCapabilityId, isInnerPath } from './name-rules.ts'
import { type StateFileKind } from './parse-state-file.ts'
import type { ScopePaths } from './scope-paths.ts'
import { readStateFile, type StateFile } from './state-file.ts'

/** The files of an installed bundle. Derived: `sync` writes it again, and nothing is deleted because of it. */
export interface Receipt {
  readonly id: string
  readonly digest: string
  /** The gates that its manifest declares, so that it is known what is lost with it. */
  readonly gates: readonly DeclaredGate[]
  /** By path relative to the bundle. */
  readonly files: ReadonlyMap<string, ReceiptFile>
}

export interface ReceiptFile {
  /** Hex. */
  readonly sha512: string
  readonly executable: boolean
}

/** The path of a receipt relative to `.gsd`, for a swap. */
export const receiptTarget = (id: string): string => `receipts/${id}.json`

/** The file of one receipt. */
export const receiptFile = (paths: ScopePaths, id: string): string => join(paths.receipts, `${id}.json`)

/** Reads one receipt. Never throws for what it finds. */
export const readReceipt = (disk: Disk, paths: ScopePaths, id: string): StateFile<Receipt> =>
  readStateFile(disk, receiptFile(paths, id), RECEIPT_FILE, { followLinks: paths.trusted })

/** The text of a receipt. */
export const receiptText = (
  id: string,
  digest: string,
  files: readonly ({ readonly path: string } & ReceiptFile)[],
  gates: readonly DeclaredGate[] = [],
): string =>
  jsonText({
    schema: 1,
    id,
    digest,
    ...(gates.length === 0 ? {} : { gates: gates.map(({ point, gate }) => ({ point, gate })) }),
    files: Object.fromEntries(files.map(({ path, sha512, executable }) => [path, { sha512, executable }])),
  })

export const RECEIPT_FILE: StateFileKind<Receipt> = {
  name: 'receipt',
  schema: 1,
  hint: 'gsd capability sync',
  parse: (root) => ({
    id: textOf(memberOf(root, 'id'), isCapabilityId, 'capability id'),
    digest: sriOf(memberOf(root, 'digest')),
    gates:
      optional(memberOf(root, 'gates'), (at) =>
        itemsOf(at).map((gate) => ({ point: textIn(gate, 'point'), gate: textIn(gate, 'gate') })),
      ) ?? [],
    files: new Map(
      membersOf(memberOf(root, 'files'), isInnerPath, 'path in a bundle').map(([path, at]) => [
        path,
        {
          sha512: textOf(memberOf(at, 'sha512'), (text) => /^[0-9a-f]{128}$/.test(text), 'sha512'),
          executable: booleanOf(memberOf(at, 'executable')),
        },
      ]),
    ),
  }),
}

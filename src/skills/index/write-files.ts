import { dirname, join } from 'node:path'
import type { Context } from '../../context.ts'
import { withDiskErrors } from '../../platform/disk-error.ts'
import { ensureFolder } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { newOperationName } from '../../transaction/operation-context.ts'

/** A file of a skills root that gets new content. */
export interface FileWrite {
  /** Relative to the root. */
  readonly file: string
  /** What the new content was made from; null: no file was there. */
  readonly before: Uint8Array | null
}

/**
 * Replaces files of a skills root, each at once and only while it is still what was read.
 * @throws GsdError STATE_*
 */
export const writeFiles = (context: Context, root: string, writes: readonly FileWrite[], text: string): void => {
  const { disk } = context
  const operation = newOperationName(context)
  for (const { file, before } of writes) {
    const path = join(root, file)
    withDiskErrors('make the folder of', path, () => ensureFolder(disk, dirname(path)))
    replaceFile(disk, path, Buffer.from(text), { operation, expect: before === null ? null : sha512Hex(before) })
  }
}

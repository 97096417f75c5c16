import { resolve } from 'node:path'
import { packBundle } from '../bundle/pack.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'

export interface PackRequest {
  readonly dir: string
  /** As typed; null: `<id>-<version>.tgz` in the working directory. */
  readonly out: string | null
  readonly writeIntegrity: boolean
}

export interface PackAnswer {
  /** Absolute path of the archive. */
  readonly file: string
  readonly integrity: string
  readonly digest: string
  readonly files: number
  /** Bytes of the archive. */
  readonly size: number
  readonly warnings: readonly Diagnostic[]
}

/** Packs a bundle folder (contract, `capability pack`). @throws ARCHIVE_*, VALIDATION_FAILED, FETCH_*, STATE_* */
export const pack = async ({ disk, cwd }: Context, { dir, out, writeIntegrity }: PackRequest): Promise<PackAnswer> => {
  const packed = await packBundle(resolve(cwd, dir), {
    disk,
    cwd,
    out: out === null ? null : resolve(cwd, out),
    writeIntegrity,
  })
  const { file, integrity, digest, files, size, declared, notes } = packed
  const stale =
    declared === null || declared === digest
      ? []
      : [
          diagnostic(
            'warning',
            'INTEGRITY_DIGEST_MISMATCH',
            'the manifest states an integrity that is not this digest, so an install would be refused',
            {
              hint: 'pack again with --write-integrity',
            },
          ),
        ]
  const left = notes.map((note) => diagnostic('warning', 'ARCHIVE_LEFT_OUT', note))
  return { file, integrity, digest, files: files.length, size, warnings: [...stale, ...left] }
}

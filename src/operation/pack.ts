import { join, resolve } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { suspectFiles } from '../bundle/left-out.ts'
import { packBundle } from '../bundle/pack/pack-bundle.ts'
import { readManifestFile } from '../bundle/read-manifest-file.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { checkHookScripts } from '../host/hooks/check-hook-scripts.ts'
import { checkBundleFiles } from '../manifest/check-bundle-files.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import type { ManifestText } from '../manifest/parse-manifest.ts'
import { abbreviateList, quote } from '../redact.ts'

export interface PackRequest {
  readonly dir: string
  /** As typed; null: `<id>-<version>.tgz` in the working directory. */
  readonly out: string | null
  readonly writeIntegrity: boolean
  readonly dryRun?: boolean
}

export interface PackAnswer {
  /** Absolute path of the archive. */
  readonly file: string
  readonly integrity: string
  readonly digest: string
  readonly files: number
  /** Their paths, in the order of the archive. */
  readonly paths: readonly string[]
  /** Bytes of the archive. */
  readonly size: number
  readonly warnings: readonly Diagnostic[]
}

/** Packs a bundle folder (contract, `capability pack`). @throws ARCHIVE_*, VALIDATION_FAILED, FETCH_*, STATE_* */
export const pack = async (
  { disk, cwd }: Context,
  { dir, out, writeIntegrity, dryRun = false }: PackRequest,
): Promise<PackAnswer> => {
  const packed = await packBundle(resolve(cwd, dir), {
    disk,
    cwd,
    out: out === null ? null : resolve(cwd, out),
    writeIntegrity,
    dryRun,
  })
  const { file, integrity, digest, files, size, declared, notes } = packed
  const text = readManifestFile(join(resolve(cwd, dir), 'capability.json'), disk)
  const stale =
    declared === null || declared === digest
      ? []
      : [
          diagnostic(
            'warning',
            'INTEGRITY_DIGEST_MISMATCH',
            'the integrity in the manifest is not this digest, so an install would be refused',
            {
              hint: 'pack again with --write-integrity',
            },
          ),
        ]
  const left = notes.map((note) => diagnostic('warning', 'ARCHIVE_LEFT_OUT', note))
  return {
    file,
    integrity,
    digest,
    files: files.length,
    paths: files.map(({ path }) => path),
    size,
    warnings: [...manifestWarnings(text, files), ...stale, ...left, ...suspectWarnings(files)],
  }
}

const suspectWarnings = (files: readonly BundleFile[]): Diagnostic[] => {
  const suspect = suspectFiles(files.map(({ path }) => path))
  if (suspect.length === 0) return []
  const text = `a secret, an archive or a file of an editor goes into the bundle: ${abbreviateList(suspect.map(quote))}`
  return [diagnostic('warning', 'ARCHIVE_SUSPECT', text, { hint: 'name what should stay out in a .gsdignore' })]
}

/** An invalid bundle is packed too, for tests, with a warning. */
const manifestWarnings = (text: ManifestText, files: readonly BundleFile[]): Diagnostic[] => {
  const { manifest, diagnostics } = checkManifest(text, { folder: null })
  const byPath = new Map(files.map((file) => [file.path, file]))
  const inBundle =
    manifest === null ? [] : [...checkBundleFiles(manifest, byPath, { text }), ...checkHookScripts(manifest, files)]
  const errors = [...diagnostics, ...inBundle].filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (first === undefined) return []
  const more = errors.length === 1 ? '' : ` (and ${errors.length - 1} more)`
  const what = `an install of it would be refused: ${first.message}${more}`
  return [
    diagnostic('warning', 'MANIFEST_INVALID', what, {
      file: text.file,
      hint: 'gsd capability validate shows every error',
    }),
  ]
}

import { join } from 'node:path'
import type { BundleFile } from '../bundle/bundle.ts'
import { withDiskErrors } from '../platform/disk-error.ts'
import type { Disk } from '../platform/disk.ts'
import { sha512Hex } from '../platform/hash.ts'
import { fileFingerprint } from './grants.ts'

/** How the files differ from the installed ones. */
export interface Drift {
  /** Digest of the installed files; the ledger may have been changed since, for example by git. */
  readonly baseDigest: string
  /** Installed files with other content now. */
  readonly changed: readonly BundleFile[]
  /** Those of them that differ in line endings only, as after a checkout with `core.autocrlf`. They are no edits. */
  readonly lineEndings: readonly BundleFile[]
  /** Installed paths that no longer exist. */
  readonly missing: readonly string[]
  /** Files that were not installed: created by the capability or by hand. */
  readonly extra: readonly BundleFile[]
}

/** A record of installed files: digest, and fingerprint by path. */
export interface KnownContent {
  readonly digest: string
  readonly fingerprints: ReadonlyMap<string, string>
}

/** Files below an absolute folder. */
interface Tree {
  readonly dir: string
  readonly files: readonly BundleFile[]
  readonly manifest: Uint8Array | null
}

/**
 * Compares the files with the record that has the digest of the ledger; else with a record that they match exactly, as after
 * somebody else changed the ledger; else with any record. Without a manifest and a record, every file is extra.
 * @returns null without a record. @throws STATE_* for a file that cannot be read
 */
export const findDrift = (
  disk: Disk,
  { dir, files, manifest }: Tree,
  { recorded, known }: { readonly recorded: string | undefined; readonly known: readonly KnownContent[] },
): Drift | null => {
  const drifts = known.map((content) => ({ content, drift: compareFiles(files, content) }))
  const best =
    drifts.find(({ drift }) => drift.baseDigest === recorded) ?? drifts.find(({ drift }) => isNone(drift)) ?? drifts[0]
  if (best === undefined) return manifest === null ? compareFiles(files, { digest: '', fingerprints: new Map() }) : null
  const { content, drift } = best
  return { ...drift, lineEndings: drift.changed.filter((file) => hasOtherLineEndings(disk, dir, file, content)) }
}

const isNone = ({ changed, missing }: Drift): boolean => changed.length + missing.length === 0

const compareFiles = (files: readonly BundleFile[], { digest, fingerprints }: KnownContent): Drift => {
  const existing = new Set(files.map(({ path }) => path))
  return {
    baseDigest: digest,
    changed: files.filter(
      (file) => fingerprints.has(file.path) && fingerprints.get(file.path) !== fileFingerprint(file),
    ),
    lineEndings: [],
    missing: [...fingerprints.keys()].filter((path) => !existing.has(path)),
    extra: files.filter(({ path }) => !fingerprints.has(path)),
  }
}

/** Larger files are counted as edited; a text with line endings is small. */
const MAX_TEXT_BYTES = 1024 * 1024

/** Whether the file has the recorded content once its line endings are all LF, or all CRLF. */
const hasOtherLineEndings = (
  disk: Disk,
  dir: string,
  { path, size, executable }: BundleFile,
  { fingerprints }: KnownContent,
): boolean => {
  if (size > MAX_TEXT_BYTES) return false
  const file = join(dir, path)
  const text = withDiskErrors('read', file, () => disk.readFileSync(file)).toString('latin1')
  if (!text.includes('\n')) return false
  const unix = text.replaceAll('\r\n', '\n')
  return [unix, unix.replaceAll('\n', '\r\n')].some((form) => {
    const sha512 = sha512Hex(Buffer.from(form, 'latin1'))
    return fingerprints.get(path) === fileFingerprint({ sha512, executable })
  })
}

import { join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import { MANIFEST_FILE } from '../../manifest/manifest.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { unsafeEntryError } from '../archive/archive-errors.ts'
import { entryTypeOf, TYPE_DESCRIPTIONS } from '../bundle.ts'
import { LIMITS } from '../limits.ts'
import { captureManifest } from '../manifest-bytes.ts'
import { readListedFile } from '../open-file.ts'
import { toReadError } from '../read-errors.ts'

/** A `capability.json` to pack: JSON, and an object. Its rules are checked elsewhere. */
export interface PackManifest {
  /** Absolute path. */
  readonly file: string
  readonly bytes: Uint8Array
  /** With its BOM, if it has one. */
  readonly text: string
  /** `<id>-<version>`, or null if these do not make a file name. */
  readonly name: string | null
  /** Its `integrity`, if it has one. */
  readonly integrity: string | null
}

/** Throws ARCHIVE_NO_BUNDLE, ARCHIVE_UNSAFE, VALIDATION_FAILED, FETCH_*. */
export const readPackManifest = (dir: string, disk: Disk): PackManifest => {
  const file = join(dir, MANIFEST_FILE)
  const bytes = readBytes(file, disk)
  if (bytes.length > LIMITS.manifest) throw invalidManifestError(file, `is larger than ${formatSize(LIMITS.manifest)}`)
  const text = decode(file, bytes)
  const value = parse(file, text)
  return { file, bytes, text, name: archiveBaseName(value), integrity: stringOrNull(value.integrity) }
}

const readBytes = (file: string, disk: Disk): Uint8Array => {
  try {
    const stats = disk.lstatSync(file)
    const type = entryTypeOf(stats)
    if (type === 'directory') throw unsafeEntryError(MANIFEST_FILE, 'unknown-type', 'is a folder')
    if (type !== 'file') throw unsafeEntryError(MANIFEST_FILE, type, TYPE_DESCRIPTIONS[type])
    const kept = captureManifest()
    readListedFile(disk, { path: file, stats }, (chunk) => kept.update(chunk))
    return kept.bytes()
  } catch (error) {
    const fault = toReadError(error, file)
    if (!(fault instanceof GsdError) || fault.code !== 'FETCH_NOT_FOUND') throw fault
    throw new GsdError('ARCHIVE_NO_BUNDLE', `there is no ${quote(file)}`, {
      hint: 'name the folder that holds the capability.json',
    })
  }
}

const decode = (file: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalidManifestError(file, 'is not UTF-8')
  }
}

const parse = (file: string, text: string): { readonly [key: string]: unknown } => {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw invalidManifestError(file, `is not valid JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidManifestError(file, 'is not a JSON object')
  return value as { readonly [key: string]: unknown }
}

const archiveBaseName = ({ id, version }: { readonly [key: string]: unknown }): string | null => {
  const fits = typeof id === 'string' && /^[a-z][a-z0-9-]{0,63}$/.test(id)
  return fits && typeof version === 'string' && /^[0-9A-Za-z.+-]{1,128}$/.test(version) ? `${id}-${version}` : null
}

const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A manifest that cannot be packed as it is. */
export const invalidManifestError = (file: string, what: string): GsdError =>
  new GsdError('VALIDATION_FAILED', `${quote(file)} ${what}`, { hint: 'see `gsd capability validate <dir>`' })

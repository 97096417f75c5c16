import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { MANIFEST_FILE } from '../../manifest/manifest.ts'
import type { Disk } from '../../platform/disk.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { auditEntries } from '../archive/audit.ts'
import type { BundleFile } from '../bundle.ts'
import { compareUtf8 } from '../byte-order.ts'
import { bundleDigest } from '../digest.ts'
import { createFileHash, type FileHash } from '../file-hash.ts'
import { listFolder } from '../list-folder.ts'
import type { Listing } from '../listing.ts'
import { declaredHookScripts, setIntegrity } from '../manifest-bytes.ts'
import { excludedNotes } from '../path-rules.ts'
import { changedWhileReadError, toReadError } from '../read-errors.ts'
import { invalidManifestError, type PackManifest, readPackManifest } from './pack-manifest.ts'
import { openPackOutput, resolveOutput } from './pack-output.ts'
import { writeTar } from './write-tar.ts'

export interface PackOptions {
  readonly disk: Disk
  /** Absolute path of the archive. Default: `<id>-<version>.tgz` in `cwd`. */
  readonly out?: string | null
  /** Absolute. Default: the folder that holds `dir`. */
  readonly cwd?: string
  /** Write the manifest's own `integrity`, in the folder and in the archive. */
  readonly writeIntegrity?: boolean
  /** Compute everything and write nothing. */
  readonly dryRun?: boolean
}

export interface PackedBundle {
  /** Absolute path of the archive. */
  readonly file: string
  /** `sha512-…` over the archive. */
  readonly integrity: string
  /** `sha512-…` over the bundle tree. */
  readonly digest: string
  /** Sorted by the bytes of their UTF-8 paths. */
  readonly files: readonly BundleFile[]
  /** Bytes of the archive. */
  readonly size: number
  /** The `integrity` of the packed manifest; an install is refused if it is not the digest. */
  readonly declared: string | null
  readonly notes: readonly string[]
}

/**
 * Packs a bundle folder into a .tgz that is the same, byte for byte, on every machine: files in one order, at the root
 * of the archive (a folder in front would lengthen their paths past the limit), no owners, one time, plain modes. What
 * an install would refuse is refused here. Unpacking gives a tree with the same digest.
 *
 * Throws ARCHIVE_*, VALIDATION_FAILED, FETCH_*, STATE_*.
 */
export const packBundle = async (dir: string, options: PackOptions): Promise<PackedBundle> => {
  const { disk } = options
  const root = resolveFolder(dir, disk)
  const found = readPackManifest(root, disk)
  const file = resolveOutput(disk, options.out ?? join(options.cwd ?? dirname(root), `${archiveName(found)}.tgz`))
  const listing = listFolder(root, { disk, excludedFile: file })
  const hashed = await hashFiles(listing, found)
  const manifest = options.writeIntegrity === true ? fillIntegrity(found, hashed) : found
  const files = hashed.map((one) => (one.path === MANIFEST_FILE ? withContent(one, manifest.bytes) : one))
  const { dryRun = false } = options
  if (!dryRun && manifest.text !== found.text) writeManifest(disk, found, manifest.bytes)
  const output = openPackOutput(disk, file, { dryRun })
  try {
    await writeTar(listing, { files, manifest, root, output })
    const { integrity, size } = output.finish()
    auditPackedFiles(files, size)
    output.commit()
    return {
      file,
      integrity,
      size,
      digest: bundleDigest(files, manifest.bytes),
      files: files.toSorted((a, b) => compareUtf8(a.path, b.path)),
      declared: manifest.integrity,
      notes: [...excludedNotes(listing.excluded), ...(listing.notes ?? [])],
    }
  } catch (error) {
    output.discard()
    throw error
  }
}

const resolveFolder = (dir: string, disk: Disk): string => {
  try {
    return disk.realpathSync(dir)
  } catch (error) {
    throw toReadError(error, dir)
  }
}

const archiveName = (manifest: PackManifest): string => {
  if (manifest.name === null)
    throw invalidManifestError(manifest.file, 'has no usable id and version to name the archive by')
  return manifest.name
}

/** First reading: what every file is, with declared hook scripts made executable. */
const hashFiles = async (listing: Listing, manifest: PackManifest): Promise<BundleFile[]> => {
  const files: BundleFile[] = []
  const scripts = declaredHookScripts(manifest.bytes)
  let hash: FileHash | null = null
  await listing.sendFiles(() => true, {
    begin: (file) => void (hash = createFileHash(file)),
    data: (chunk) => hash?.update(chunk),
    end() {
      const file = hash?.result()
      if (file !== undefined)
        files.push({ ...file, executable: file.executable || (file.shebang && scripts.has(file.path)) })
    },
  })
  if (files.find((file) => file.path === MANIFEST_FILE)?.sha512 !== sha512Hex(manifest.bytes))
    throw changedWhileReadError(manifest.file)
  return files
}

/** The manifest with the digest as its integrity; the digest does not cover that value. */
const fillIntegrity = (manifest: PackManifest, files: readonly BundleFile[]): PackManifest => {
  const empty = setIntegrity(manifest.text, '')
  if (empty === null) throw invalidManifestError(manifest.file, 'has an "integrity" that is not one text')
  const integrity = bundleDigest(files, Buffer.from(empty))
  const text = setIntegrity(manifest.text, integrity) ?? manifest.text
  return { ...manifest, bytes: Buffer.from(text), text, integrity }
}

const writeManifest = (disk: Disk, { file, bytes }: PackManifest, next: Uint8Array): void => {
  const operation = randomBytes(6).toString('hex')
  replaceFile(disk, file, next, { operation, expect: sha512Hex(bytes) })
}

const withContent = (file: BundleFile, bytes: Uint8Array): BundleFile => ({
  ...file,
  size: bytes.length,
  sha512: sha512Hex(bytes),
})

/** An archive that an install would refuse, for its ratio for instance, is not written. */
const auditPackedFiles = (files: readonly BundleFile[], packed: number): void => {
  const audit = auditEntries(
    files.map((file) => ({ ...file, type: 'file' })),
    packed,
  )
  if (!audit.ok) throw audit.error
}

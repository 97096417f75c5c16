import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { Disk } from '../store/disk.ts'
import { hashOf } from '../store/hash.ts'
import { replaceFile } from '../store/replace.ts'
import { auditEntries } from './audit.ts'
import type { BundleFile } from './bundle.ts'
import { byBytes } from './byte-order.ts'
import { bundleDigest } from './digest.ts'
import { changed, readFault } from './faults.ts'
import { openFileHash, type FileHash } from './file-hash.ts'
import { listFolder } from './folder.ts'
import { declaredHookScripts } from './hook-scripts.ts'
import { leftOutNotes } from './left-out.ts'
import type { Listing } from './listing.ts'
import { MANIFEST } from './locate.ts'
import { invalid, readPackManifest, type PackManifest } from './pack-manifest.ts'
import { openPackOutput, realOutput } from './pack-output.ts'
import { withIntegrity } from './write-integrity.ts'
import { writeTar } from './write-tar.ts'

export interface PackOptions {
  readonly disk: Disk
  /** Absolute path of the archive. Default: `<id>-<version>.tgz` in `cwd`. */
  readonly out?: string | null
  /** Absolute. Default: the folder that holds `dir`. */
  readonly cwd?: string
  /** Fill in the manifest's own `integrity`, in the folder and in the archive. */
  readonly writeIntegrity?: boolean
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
  /** The `integrity` that the packed manifest states; an install is refused where it is not the digest. */
  readonly declared: string | null
  readonly notes: readonly string[]
}

/**
 * Packs a bundle folder into a .tgz that is the same, byte for byte, on every machine: files in one order, at the root
 * of the archive (a folder in front would lengthen their paths past the limit), no owners, one time, plain modes. What
 * an install would refuse is refused here. Unpacking gives back a tree with the same digest.
 *
 * Throws ARCHIVE_*, VALIDATION_FAILED, FETCH_*, STATE_*.
 */
export const packBundle = async (dir: string, options: PackOptions): Promise<PackedBundle> => {
  const { disk } = options
  const root = realFolder(dir, disk)
  const found = readPackManifest(root, disk)
  const file = realOutput(disk, options.out ?? join(options.cwd ?? dirname(root), `${nameOf(found)}.tgz`))
  const listing = listFolder(root, { disk, except: file })
  const hashed = await hashListing(listing, found)
  const manifest = options.writeIntegrity === true ? fillIntegrity(found, hashed, disk) : found
  const files = hashed.map((one) => (one.path === MANIFEST ? describe(one, manifest.bytes) : one))
  const output = openPackOutput(disk, file)
  try {
    await writeTar(listing, { files, manifest, root, output })
    const { integrity, size } = output.finish()
    judge(files, size)
    output.commit()
    return {
      file,
      integrity,
      size,
      digest: bundleDigest(files, manifest.bytes),
      files: files.toSorted((a, b) => byBytes(a.path, b.path)),
      declared: manifest.integrity,
      notes: leftOutNotes(listing.leftOut),
    }
  } catch (error) {
    output.discard()
    throw error
  }
}

const realFolder = (dir: string, disk: Disk): string => {
  try {
    return disk.realpathSync(dir)
  } catch (error) {
    throw readFault(error, dir)
  }
}

const nameOf = (manifest: PackManifest): string => {
  if (manifest.name === null) throw invalid(manifest.file, 'has no usable id and version to name the archive by')
  return manifest.name
}

/** First reading: what every file is, with declared hook scripts made executable. */
const hashListing = async (listing: Listing, manifest: PackManifest): Promise<BundleFile[]> => {
  const files: BundleFile[] = []
  const scripts = declaredHookScripts(manifest.bytes)
  let hash: FileHash | null = null
  await listing.play(() => true, {
    begin: (file) => void (hash = openFileHash(file)),
    data: (chunk) => hash?.take(chunk),
    end() {
      const file = hash?.result()
      if (file !== undefined)
        files.push({ ...file, executable: file.executable || (file.shebang && scripts.has(file.path)) })
    },
  })
  if (files.find((file) => file.path === MANIFEST)?.sha512 !== hashOf(manifest.bytes)) throw changed(manifest.file)
  return files
}

/** Puts the digest into the manifest, which changes nothing that the digest is made of. */
const fillIntegrity = (manifest: PackManifest, files: readonly BundleFile[], disk: Disk): PackManifest => {
  const empty = withIntegrity(manifest.text, '')
  if (empty === null) throw invalid(manifest.file, 'has an "integrity" that is not one text')
  const integrity = bundleDigest(files, Buffer.from(empty))
  const text = withIntegrity(manifest.text, integrity) ?? manifest.text
  const bytes = Buffer.from(text)
  if (text !== manifest.text) {
    const operation = randomBytes(6).toString('hex')
    replaceFile(disk, manifest.file, bytes, { operation, expect: hashOf(manifest.bytes) })
  }
  return { ...manifest, bytes, text, integrity }
}

const describe = (file: BundleFile, bytes: Uint8Array): BundleFile => ({
  ...file,
  size: bytes.length,
  sha512: hashOf(bytes),
})

/** An archive that an install would refuse, for its ratio for instance, is not made. */
const judge = (files: readonly BundleFile[], packed: number): void => {
  const audit = auditEntries(
    files.map((file) => ({ ...file, type: 'file' })),
    packed,
  )
  if (!audit.ok) throw audit.error
}

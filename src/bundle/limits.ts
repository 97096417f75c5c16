import { MAX_MANIFEST_BYTES } from '../manifest/manifest.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** The limits of a bundle, whatever its source (security, "Archives and trees"). Sizes in bytes. */
export const LIMITS = {
  /** UTF-8 bytes of a whole path. */
  path: 1024,
  /** UTF-8 bytes of one segment of a path. */
  segment: 255,
  /** Files and folders listed. */
  entries: 10_000,
  /** One file. */
  file: 64 * MIB,
  /** All files together. */
  unpacked: 256 * MIB,
  /** Headers, long names and padding of an archive together. */
  overhead: 64 * MIB,
  /** One extended header or long name. */
  extendedHeader: MIB,
  /** Unpacked bytes for each packed one … */
  ratio: 200,
  /** … checked only above this many unpacked bytes. */
  ratioFrom: 16 * MIB,
  /** `capability.json` (manifest page, "Reading"). */
  manifest: MAX_MANIFEST_BYTES,
  /** Unpacked content in memory while its archive is checked; more goes to the disk. */
  inMemory: 4 * MIB,
} as const

import { join } from 'node:path'
import rsort from 'semver/functions/rsort.js'
import valid from 'semver/functions/valid.js'
import type { Disk } from '../../platform/disk.ts'

/** A registry's data about a package. */
export interface Packument {
  readonly tags: ReadonlyMap<string, string>
  readonly versions: ReadonlyMap<string, PackageVersion>
}

export interface PackageVersion {
  /** `dist.integrity`; null where the registry states none. */
  readonly integrity: string | null
  /** `dist.shasum`, a sha1. */
  readonly shasum: string | null
  /** Url of the tarball. */
  readonly tarball: string | null
  /** The reason, or null. */
  readonly deprecated: string | null
}

/** No package of a capability has a larger packument. */
const MAX_PACKUMENT_BYTES = 64 * 1024 * 1024

/**
 * The packument that npm has just received, read from npm's cache, which is new for each run. This saves a second run. Null
 * where the registry forbids caching, or did not respond.
 */
export const findPackument = (disk: Disk, dir: string, name: string): Packument | null => {
  for (const file of listFiles(disk, join(dir, 'cache', '_cacache', 'content-v2'))) {
    const packument = readPackument(disk, file, name)
    if (packument !== null) return packument
  }
  return null
}

/** Versions, newest first, without invalid ones. */
export const sortedVersions = ({ versions }: Packument): readonly string[] =>
  rsort([...versions.keys()].filter((version) => valid(version) === version))

const readPackument = (disk: Disk, file: string, name: string): Packument | null => {
  try {
    if (disk.lstatSync(file).size > MAX_PACKUMENT_BYTES) return null
    const bytes = disk.readFileSync(file)
    return bytes[0] === 0x7b ? parsePackument(JSON.parse(bytes.toString('utf8')), name) : null
  } catch {
    return null
  }
}

/** Parses a registry's response; null where it is not about this package. */
export const parsePackument = (value: unknown, name: string): Packument | null => {
  if (!isObject(value) || value['name'] !== name || !isObject(value['versions'])) return null
  const tags = isObject(value['dist-tags']) ? Object.entries(value['dist-tags']) : []
  return {
    tags: new Map(tags.flatMap(([tag, version]) => (typeof version === 'string' ? [[tag, version]] : []))),
    versions: new Map(Object.entries(value['versions']).map(([version, entry]) => [version, parseVersion(entry)])),
  }
}

const parseVersion = (entry: unknown): PackageVersion => {
  const dist = isObject(entry) && isObject(entry['dist']) ? entry['dist'] : {}
  return {
    integrity: textOf(dist['integrity']),
    shasum: textOf(dist['shasum']),
    tarball: textOf(dist['tarball']),
    deprecated: isObject(entry) ? textOf(entry['deprecated']) : null,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const listFiles = (disk: Disk, path: string): readonly string[] => {
  try {
    return disk.lstatSync(path).isDirectory()
      ? disk.readdirSync(path).flatMap((name) => listFiles(disk, join(path, name)))
      : [path]
  } catch {
    return []
  }
}

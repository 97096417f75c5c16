import { join } from 'node:path'
import rsort from 'semver/functions/rsort.js'
import valid from 'semver/functions/valid.js'
import type { Disk } from '../../platform/disk.ts'

/** What a registry says of a package. */
export interface Packument {
  readonly tags: ReadonlyMap<string, string>
  readonly versions: ReadonlyMap<string, PackageVersion>
}

export interface PackageVersion {
  /** `dist.integrity`; null where the registry states none. */
  readonly integrity: string | null
  /** Url of the tarball. */
  readonly tarball: string | null
  /** Why it should not be used, or null. */
  readonly deprecated: string | null
}

/** Larger answers are no package's that could be a capability. */
const MAX_PACKUMENT_BYTES = 64 * 1024 * 1024

/**
 * What npm was just told of a package. It keeps every answer in its cache, which here is a fresh one, so that no second
 * run is needed to ask the same again. Null where the registry forbids keeping it, or nothing was answered.
 */
export const findPackument = (disk: Disk, dir: string, name: string): Packument | null => {
  for (const file of listFiles(disk, join(dir, 'cache', '_cacache', 'content-v2'))) {
    const packument = readPackument(disk, file, name)
    if (packument !== null) return packument
  }
  return null
}

/** Versions, newest first; what is no version is left out. */
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

/** Reads an answer of a registry; null where it is none about this package. */
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
    tarball: textOf(dist['tarball']),
    deprecated: isObject(entry) ? textOf(entry['deprecated']) : null,
  }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Only own members, and none that the prototype has. */
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

import valid from 'semver/functions/valid.js'
import { parseIntegrity } from '../../bundle/integrity.ts'
import { GsdError } from '../../errors.ts'
import { isRange } from '../../manifest/semver.ts'
import { quote } from '../../redact.ts'
import { isCapabilityId } from '../../state/name-rules.ts'

/** A list of capabilities that one can install from, as `schemas/catalog.v1.schema.json` describes it. */
export interface Catalog {
  /** As the configuration calls it. */
  readonly name: string
  readonly capabilities: ReadonlyMap<string, CatalogCapability>
}

/** A catalog, and where relative paths in it start; null where it did not come from a file of this machine. */
export interface LoadedCatalog {
  readonly catalog: Catalog
  readonly folder: string | null
}

export interface CatalogCapability {
  readonly title: string | null
  readonly description: string | null
  readonly keywords: readonly string[]
  /** By strict SemVer. */
  readonly versions: ReadonlyMap<string, CatalogVersion>
}

export interface CatalogVersion {
  readonly spec: string
  /** Over the artifact, or where the source has none, the bundle's digest. */
  readonly integrity: string | null
  /** Range of host versions. */
  readonly engines: string | null
}

/** Bytes. The list of a whole company is far below. */
export const MAX_CATALOG_BYTES = 32 * 1024 * 1024

/** The error for a list that is not as it should be; `pointer`: JSON pointer of the fault, '' for the whole. */
export const invalidCatalog = (name: string, pointer: string, what: string): GsdError =>
  new GsdError(
    'FETCH_CATALOG',
    `the catalog ${quote(name)} cannot be used: ${pointer === '' ? 'it' : quote(pointer)} ${what}`,
    { hint: 'tell whoever keeps the catalog', details: { catalog: name, pointer } },
  )

/**
 * Bytes of a catalog → its content. Whatever in it is wrong makes the whole unusable: half a list is no list to trust.
 * @throws GsdError FETCH_CATALOG with the JSON pointer of the fault
 */
export const parseCatalog = (name: string, bytes: Uint8Array): Catalog => {
  const fail = (pointer: string, what: string): never => {
    throw invalidCatalog(name, pointer, what)
  }
  const root = objectOf(parseJson(bytes, fail), '', fail)
  if (root.get('schema') !== 1)
    fail('/schema', root.has('schema') ? `is ${quote(root.get('schema'))}; this program reads 1` : 'is missing')
  const capabilities = objectOf(root.get('capabilities'), '/capabilities', fail)
  return {
    name,
    capabilities: new Map(
      [...capabilities].map(([id, value]) => {
        if (!isCapabilityId(id)) fail(`/capabilities/${id}`, 'is not the id of a capability')
        return [id, capabilityOf(value, `/capabilities/${id}`, fail)] as const
      }),
    ),
  }
}

type Fail = (pointer: string, what: string) => never

const parseJson = (bytes: Uint8Array, fail: Fail): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    const isPage = /^\s*<(?:!doctype|html)/i.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1'))
    return fail('', isPage ? 'is an HTML page, perhaps a login page' : 'is not JSON in UTF-8')
  }
}

const capabilityOf = (value: unknown, pointer: string, fail: Fail): CatalogCapability => {
  const members = objectOf(value, pointer, fail)
  const versions = objectOf(members.get('versions'), `${pointer}/versions`, fail)
  const keywords = members.get('keywords')
  return {
    title: textOf(members.get('title'), `${pointer}/title`, fail),
    description: textOf(members.get('description'), `${pointer}/description`, fail),
    keywords: Array.isArray(keywords) ? keywords.filter((word): word is string => typeof word === 'string') : [],
    versions: new Map(
      [...versions].map(([version, each]) => {
        const at = `${pointer}/versions/${version}`
        if (valid(version) !== version) fail(at, 'is not a version')
        return [version, versionOf(objectOf(each, at, fail), at, fail)] as const
      }),
    ),
  }
}

const versionOf = (members: ReadonlyMap<string, unknown>, pointer: string, fail: Fail): CatalogVersion => {
  const spec = textOf(members.get('spec'), `${pointer}/spec`, fail) ?? fail(`${pointer}/spec`, 'is missing')
  const integrity = textOf(members.get('integrity'), `${pointer}/integrity`, fail)
  const stated = members.get('engines')
  const engines =
    stated === undefined
      ? null
      : textOf(objectOf(stated, `${pointer}/engines`, fail).get('gsd'), `${pointer}/engines/gsd`, fail)
  if (engines !== null && !isRange(engines))
    fail(`${pointer}/engines/gsd`, `is ${quote(engines)}, which is no version range`)
  return { spec, integrity: integrity === null ? null : integrityOf(integrity, pointer, fail), engines }
}

const integrityOf = (text: string, pointer: string, fail: Fail): string => {
  try {
    return parseIntegrity(text)
  } catch (error) {
    return fail(`${pointer}/integrity`, error instanceof Error ? `cannot be used: ${error.message}` : 'cannot be used')
  }
}

/** The members of an object by a Map, so that no name reaches a prototype. */
const objectOf = (value: unknown, pointer: string, fail: Fail): ReadonlyMap<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? new Map<string, unknown>(Object.entries(value))
    : fail(pointer, value === undefined ? 'is missing' : 'is not an object')

const textOf = (value: unknown, pointer: string, fail: Fail): string | null => {
  if (value === undefined || value === null) return null
  return typeof value === 'string' && value.trim() !== '' ? value : fail(pointer, 'is not a text')
}

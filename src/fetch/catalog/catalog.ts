import valid from 'semver/functions/valid.js'
import { parseIntegrity } from '../../bundle/integrity.ts'
import { GsdError } from '../../errors.ts'
import { pointerOf } from '../../manifest/json/pointer.ts'
import { MAX_DEPTH, readJson } from '../../manifest/json/read-json.ts'
import { quote } from '../../redact.ts'
import { memberOf, membersOf, rejectMember, rootMember, type Member } from '../../state/json-member.ts'
import { isCapabilityId } from '../../state/name-rules.ts'
import { isRange } from '../../version-range.ts'

/** A list of installable capabilities, in the format of `schemas/catalog.v1.schema.json`. */
export interface Catalog {
  /** Its name in the configuration. */
  readonly name: string
  readonly capabilities: ReadonlyMap<string, CatalogCapability>
}

/** A catalog, and the folder that its relative paths are resolved against; null where it is not a local file. */
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
  /** Of the artifact; where the source has none, the digest of the bundle. */
  readonly integrity: string | null
  /** Range of host versions. */
  readonly engines: string | null
}

/** Bytes; the catalog of a whole company is far smaller. */
export const MAX_CATALOG_BYTES = 32 * 1024 * 1024

/** The error for a catalog with a fault; `pointer`: JSON pointer of the fault, '' for the whole. */
export const invalidCatalog = (name: string, pointer: string, problem: string): GsdError =>
  new GsdError(
    'FETCH_CATALOG',
    `the catalog ${quote(name)} cannot be used: ${pointer === '' ? 'it' : quote(pointer)} ${problem}`,
    { hint: 'tell whoever maintains the catalog', details: { catalog: name, pointer } },
  )

/**
 * Bytes of a catalog → its content. One fault makes the whole unusable: half a catalog cannot be trusted.
 * @throws GsdError FETCH_CATALOG with the JSON pointer of the fault
 */
export const parseCatalog = (name: string, bytes: Uint8Array): Catalog => {
  const root = rootMember(parseJson(name, bytes), (path, problem) => invalidCatalog(name, pointerOf(path), problem))
  const schema = memberOf(root, 'schema')
  if (schema.value !== 1)
    rejectMember(schema, schema.value === undefined ? 'is missing' : `is ${quote(schema.value)}; this program reads 1`)
  return {
    name,
    capabilities: mapOf(memberOf(root, 'capabilities'), isCapabilityId, 'id of a capability', capabilityOf),
  }
}

const parseJson = (name: string, bytes: Uint8Array): unknown => {
  const { value, error, isTooDeep, duplicates, positionAt } = readJson(bytes)
  if (isTooDeep) throw invalidCatalog(name, '', `is nested deeper than ${MAX_DEPTH} levels`)
  const [duplicate] = duplicates
  if (duplicate !== undefined) throw invalidCatalog(name, duplicate.pointer, 'is repeated')
  if (error === null) return value
  if (/^\s*<(?:!doctype|html)/i.test(Buffer.from(bytes.subarray(0, 512)).toString('latin1')))
    throw invalidCatalog(name, '', 'is an HTML page, perhaps a login page')
  const { line, column } = positionAt(error.offset)
  throw invalidCatalog(name, '', `is not JSON in UTF-8 (line ${line}, column ${column}): ${error.message}`)
}

const capabilityOf = (at: Member): CatalogCapability => {
  const versions = mapOf(memberOf(at, 'versions'), (text) => valid(text) === text, 'version', versionOf)
  const keywords = memberOf(at, 'keywords').value
  return {
    title: absentOr(textOfAnyLength)(memberOf(at, 'title')),
    description: absentOr(textOfAnyLength)(memberOf(at, 'description')),
    keywords: Array.isArray(keywords) ? keywords.filter((word): word is string => typeof word === 'string') : [],
    versions,
  }
}

const versionOf = (at: Member): CatalogVersion => ({
  spec: textOfAnyLength(memberOf(at, 'spec')),
  integrity: absentOr(integrityOf)(memberOf(at, 'integrity')),
  engines: absentOr(enginesOf)(memberOf(at, 'engines')),
})

const enginesOf = (at: Member): string | null =>
  absentOr((range) => {
    const text = textOfAnyLength(range)
    return isRange(text) ? text : rejectMember(range, `is not a valid version range: ${quote(text)}`)
  })(memberOf(at, 'gsd'))

const integrityOf = (at: Member): string => {
  const text = textOfAnyLength(at)
  try {
    return parseIntegrity(text)
  } catch (error) {
    return rejectMember(at, error instanceof Error ? `cannot be used: ${error.message}` : 'cannot be used')
  }
}

/** A Map, so that no name reaches a prototype. */
const mapOf = <T>(
  at: Member,
  isKey: (key: string) => boolean,
  keyName: string,
  read: (at: Member) => T,
): ReadonlyMap<string, T> => {
  if (at.value === undefined) return rejectMember(at, 'is missing')
  return new Map(membersOf(at, isKey, keyName).map(([key, member]) => [key, read(member)]))
}

/** Catalogs may say by null that there is nothing. */
const absentOr =
  <T>(read: (at: Member) => T) =>
  (at: Member): T | null =>
    at.value === undefined || at.value === null ? null : read(at)

const textOfAnyLength = (at: Member): string => {
  if (at.value === undefined || at.value === null) return rejectMember(at, 'is missing')
  return typeof at.value === 'string' && at.value.trim() !== '' ? at.value : rejectMember(at, 'is not a string')
}

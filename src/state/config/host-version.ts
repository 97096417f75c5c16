import { join } from 'node:path'
import type { HostVersion } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { SEMVER } from '../../manifest/grammar.ts'
import { readTextFile } from '../../platform/text-file.ts'
import { quote } from '../../redact.ts'
import { CONTRACT_VERSION } from '../../version.ts'

export interface HostVersionSources {
  /** `--host-version`; undefined when it was not given. */
  readonly flag: string | undefined
  /** The name of that option for messages; default `--host-version`. */
  readonly flagName?: string
  /** `GSD_VERSION`; blank counts as unset. */
  readonly env: string | undefined
  /** Root of the project; null where there is none. */
  readonly project: string | null
  /** Configuration homes of the host runtimes in the order of their table; read only as far as needed. */
  readonly homes: Iterable<string>
}

/**
 * The GSD version that manifests are checked against: that of the first source that has one (contract, "engines and
 * compatVersions"). An invalid file gives a warning, and the next source is used.
 *
 * @throws GsdError `USAGE_BAD_VALUE` for a flag or variable that is not a version
 */
export const readHostVersion = (
  sources: HostVersionSources,
): { readonly hostVersion: HostVersion; readonly warnings: readonly Diagnostic[] } => {
  if (sources.flag !== undefined)
    return { hostVersion: parseVersion(sources.flag, sources.flagName ?? '--host-version'), warnings: [] }
  if (sources.env?.trim()) return { hostVersion: parseVersion(sources.env, 'GSD_VERSION'), warnings: [] }
  const warnings: Diagnostic[] = []
  for (const folder of searchFolders(sources)) {
    const file = join(folder, 'gsd-core', 'VERSION')
    const found = readVersionFile(file)
    if (typeof found === 'string') return { hostVersion: { version: found, from: file }, warnings }
    if (found !== null) warnings.push(found)
  }
  return { hostVersion: { version: CONTRACT_VERSION, from: 'built-in' }, warnings }
}

function* searchFolders({ project, homes }: HostVersionSources): Generator<string> {
  if (project !== null) yield project
  yield* homes
}

const parseVersion = (text: string, from: string): HostVersion => {
  const version = versionOf(text)
  if (version !== null) return { version, from }
  throw new GsdError('USAGE_BAD_VALUE', `${from} ${quote(text)} is not a version`, {
    hint: `write a version such as ${CONTRACT_VERSION}`,
  })
}

/**
 * The version that a text is, without `v` before it and build metadata after it, as `parse` of `semver` gives it. Loading
 * that package takes longer than anything else about the version.
 */
export const versionOf = (text: string): string | null => {
  const trimmed = text.trim()
  const version = trimmed.replace(/^v/, '')
  if (trimmed.length > MAX_LENGTH || !SEMVER.test(version)) return null
  const [plain = ''] = version.split('+', 1)
  const numbers = plain.split('-', 1)[0]?.split('.') ?? []
  return numbers.every((number) => Number.isSafeInteger(Number(number))) ? plain : null
}

const MAX_LENGTH = 256

const MAX_BYTES = 1024

/** The version, a warning, or null where there is no such file. */
const readVersionFile = (file: string): string | Diagnostic | null => {
  const found = readTextFile(file, MAX_BYTES)
  if (found.state === 'absent') return null
  if (found.state === 'unreadable') return ignoredFile(file, `cannot be read: ${found.reason}`)
  return versionOf(found.text) ?? ignoredFile(file, `holds ${quote(found.text.trim())}, which is not a version`)
}

const ignoredFile = (file: string, what: string): Diagnostic =>
  diagnostic('warning', 'STATE_CONFIG_INVALID', `${quote(file)} ${what}; it is ignored`, {
    file,
    hint: 'reinstall GSD there, or use --host-version',
  })

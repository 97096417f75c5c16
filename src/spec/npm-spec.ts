import parse from 'semver/functions/parse.js'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { isRange } from '../version-range.ts'
import type { NpmSpec, SpecParser } from './spec.ts'

const NAME = /^(?:@[A-Za-z0-9~][A-Za-z0-9._~-]*\/)?[A-Za-z0-9~][A-Za-z0-9._~-]*$/
const TAG = /^(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9._~-]*$/
/** npm takes names with these ends as files. */
const FILE_NAME = /\.(?:tgz|tar|tar\.gz)$/i
const MAX_NAME_LENGTH = 214
const RESERVED_NAMES = ['node_modules', 'favicon.ico']

/**
 * `npm:<name>[@<version|range|dist-tag>]`: only packages of the registry, so that a policy that allows npm allows no other
 * kind of source.
 */
export const parseNpmSpec: SpecParser = (text) => {
  if (!text.startsWith('npm:')) return null
  const rest = text.slice('npm:'.length)
  const at = rest.indexOf('@', 1)
  const name = at === -1 ? rest : rest.slice(0, at)
  const selector = at === -1 ? null : rest.slice(at + 1)
  checkName(name, text)
  return { kind: 'npm', name, selector: selector === null ? null : parseSelector(selector, text) }
}

const checkName = (name: string, text: string): void => {
  requireRegistryPackage(name, text)
  if (NAME.test(name) && name.length <= MAX_NAME_LENGTH && !RESERVED_NAMES.includes(name.toLowerCase())) return
  throw new GsdError('SPEC_MALFORMED', `${quote(name)} is not a package name`, {
    hint: 'write npm:<name> or npm:@<scope>/<name>',
  })
}

const parseSelector = (text: string, whole: string): NonNullable<NpmSpec['selector']> => {
  const selector = text.trim()
  requireRegistryPackage(selector, whole)
  const version = parse(selector)?.version
  if (version !== undefined) return { kind: 'version', text: version }
  if (isRange(selector)) return { kind: 'range', text: selector }
  if (TAG.test(selector) && selector.length <= MAX_NAME_LENGTH) return { kind: 'tag', text: selector }
  throw new GsdError('SPEC_MALFORMED', `${quote(text)} is neither version, range nor dist-tag`, {
    hint: 'write npm:<name>@1.2.0, @^1.2 or @latest',
  })
}

/** Urls, folders, files, git and aliases are not packages of a registry. */
const requireRegistryPackage = (part: string, text: string): void => {
  const scoped = /^@[^/]*\/[^/]*$/.test(part)
  const other =
    part.includes(':') ||
    FILE_NAME.test(part) ||
    part.startsWith('.') ||
    part.startsWith('~/') ||
    (part.includes('/') && !scoped)
  if (!other) return
  throw new GsdError('SPEC_REFUSED', `${quote(text)} is not a package of a registry`, {
    hint: 'npm: takes a name and a version, range or tag; write urls, folders, archives and repositories without npm:',
  })
}

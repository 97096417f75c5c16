import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import { isRange } from '../version-range.ts'
import type { GitRef } from './spec.ts'

type Prefix = Exclude<GitRef['kind'], 'any'>

const FULL_SHA = /^[0-9a-f]{40}$/i
const PREFIXED = /^([A-Za-z]+):(.*)$/s
const RANGE_OPERATOR = /^[<>=^~*]/
const MAX_REF_LENGTH = 255

/** Refs as text: `v1.2.0`, `tag:v1.2.0`, `branch:a/b`, `sha:<40 hex>`, a bare 40-hex, `semver:^1`. */
export const parseRef = (text: string): GitRef => {
  if (text.startsWith('-'))
    throw new GsdError('SPEC_REFUSED', `the ref ${quote(text)} starts with "-", as a flag does`, {
      hint: 'name a tag, branch or commit',
    })
  if (FULL_SHA.test(text)) return { kind: 'sha', sha: text.toLowerCase() }
  const [, prefix, rest = ''] = PREFIXED.exec(text) ?? []
  if (prefix === undefined) return { kind: 'any', name: checkRefName(text) }
  if (!Object.hasOwn(PREFIXES, prefix)) throw unknownPrefixError(text, prefix, rest)
  return PREFIXES[prefix as Prefix](rest)
}

/** A ref as text; `parseRef` parses it to the same ref. */
export const formatRef = (ref: GitRef): string => {
  switch (ref.kind) {
    case 'any':
      return ref.name
    case 'sha':
      return `sha:${ref.sha}`
    case 'semver':
      return `semver:${ref.range}`
    case 'tag':
    case 'branch':
      return `${ref.kind}:${ref.name}`
  }
}

const PREFIXES = {
  tag: (name) => ({ kind: 'tag', name: checkRefName(name) }),
  branch: (name) => ({ kind: 'branch', name: checkRefName(name) }),
  sha: (sha) => {
    if (!FULL_SHA.test(sha)) {
      throw new GsdError('SPEC_MALFORMED', `${quote(sha)} is not a full commit id`, {
        hint: 'write all 40 hex digits, as `git rev-parse` prints them',
      })
    }
    return { kind: 'sha', sha: sha.toLowerCase() }
  },
  semver: (range) => {
    if (!isRange(range))
      throw new GsdError('SPEC_MALFORMED', `${quote(range)} is not a version range`, {
        hint: 'write one such as semver:^1.2.0',
      })
    return { kind: 'semver', range: range.trim() }
  },
} satisfies Record<Prefix, (rest: string) => GitRef>

const unknownPrefixError = (text: string, prefix: string, rest: string): GsdError => {
  const near = nearestWord(prefix, [...Object.keys(PREFIXES), 'path'])
  const hint =
    near === null
      ? 'write <tag or branch>, tag:…, branch:…, sha:… or semver:…, and for a subfolder path:…'
      : `did you mean #${near}:${rest}?`
  return new GsdError('SPEC_MALFORMED', `the ref ${quote(text)} starts with an unknown word`, { hint })
}

/** The rules of `git check-ref-format`, and no name that starts like a flag. */
const checkRefName = (name: string): string => {
  const fault = refNameProblem(name)
  if (fault === null) return name
  const hint =
    RANGE_OPERATOR.test(name) && isRange(name)
      ? `for a version range write #semver:${name}`
      : 'name an existing tag or branch'
  throw new GsdError(name.startsWith('-') ? 'SPEC_REFUSED' : 'SPEC_MALFORMED', `the ref ${quote(name)} ${fault}`, {
    hint,
  })
}

const refNameProblem = (name: string): string | null => {
  if (name === '') return 'is empty'
  if (name.length > MAX_REF_LENGTH) return `is over ${MAX_REF_LENGTH} characters long`
  if (name.startsWith('-')) return 'starts with "-", as a flag does'
  if (RANGE_OPERATOR.test(name)) return 'looks like a version range'
  if (/[\s~^:?*[\\]/.test(name)) return 'contains a character that no ref can have'
  if (name.includes('..') || name.includes('@{') || name === '@') return 'is a revision, not a ref'
  if (
    name.split('/').some((part) => part === '' || part.startsWith('.') || part.endsWith('.') || part.endsWith('.lock'))
  )
    return 'is a name that git does not allow'
  return null
}

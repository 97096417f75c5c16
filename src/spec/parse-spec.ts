import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import { parseCatalogSpec } from './catalog-spec.ts'
import { checkSpecText } from './check-spec-text.ts'
import { parseShorthand } from './git-spec.ts'
import { KNOWN_HOSTS } from './known-hosts.ts'
import { parseNpmSpec } from './npm-spec.ts'
import { parsePathSpec } from './path-spec.ts'
import { parseScpSpec } from './scp-spec.ts'
import type { Spec, SpecContext, SpecParser } from './spec.ts'
import { parseUrlSpec } from './url-spec.ts'

/**
 * Parses a spec (contract, "Specs"), without disk or network. The form of catalogs comes last, so that a catalog can never
 * replace another form.
 *
 * @throws GsdError `SPEC_MALFORMED`, `SPEC_AMBIGUOUS` (the hint names both forms), `SPEC_REFUSED`
 */
export const parseSpec = (text: string, context: SpecContext): Spec => {
  checkSpecText(text)
  for (const form of PARSERS) {
    const spec = form(text, context)
    if (spec !== null) return spec
  }
  throw unknownSpecError(text)
}

const PARSERS: readonly SpecParser[] = [
  parseNpmSpec,
  parseShorthand,
  parseUrlSpec,
  parseScpSpec,
  parsePathSpec,
  parseCatalogSpec,
]

const PREFIXES = ['npm', ...Object.keys(KNOWN_HOSTS)]

/** The error for a text of no form: it names the nearest forms. */
export const unknownSpecError = (text: string): GsdError =>
  new GsdError('SPEC_MALFORMED', `${quote(text)} is not a spec`, {
    hint: `did you mean ${suggestSpecs(text).join(' or ')}?`,
  })

const suggestSpecs = (text: string): readonly string[] => {
  const trimmed = text.trim()
  if (trimmed !== text) return [`${trimmed} without the spaces around it`, './… for a folder whose name has them']
  const [, prefix, rest = ''] = /^([A-Za-z0-9+.-]+):(.*)$/.exec(text) ?? []
  if (prefix !== undefined) return suggestForPrefix(prefix, rest)
  if (/^@[^/]+\/[^/]+$/.test(text)) return [`npm:${text}`, `./${text} for a folder`]
  const [first = ''] = text.split('/')
  if (/^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[a-z]{2,}$/.test(first) && text.includes('/'))
    return [`https://${text}`, `./${text} for a folder`]
  if (/^[^/@\s]+\/[^/@\s]+$/.test(text)) return [`github:${text}`, `./${text} for a folder`]
  if (text.includes('/')) return [`./${text} for a folder`, 'a url with https:// in front']
  return [`npm:${text} for a package`, `./${text} for a folder`, `${text}@<catalog>`]
}

const suggestForPrefix = (prefix: string, rest: string): readonly string[] => {
  if (prefix.toLowerCase() === 'file') return [`./${rest.replace(/^\.\//, '')} for a path`, 'file:///abs/dir']
  const near = nearestWord(prefix, PREFIXES)
  if (near !== null) return [`${near}:${rest}`, `git@${prefix}:${rest} for ssh`]
  return [`git@${prefix}:${rest} for ssh`, 'a url with https:// in front']
}

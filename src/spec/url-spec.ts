import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import { parseFileUrl } from './file-url-spec.ts'
import { splitFragment } from './git-fragment.ts'
import { parseGitUrl } from './git-spec.ts'
import { parseHttpsUrl } from './https-spec.ts'
import type { RawUrl, Spec, SpecContext } from './spec.ts'

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const TRANSPORT = /^([a-z0-9+.-]+)::/i

/** Everything with a scheme; unknown schemes are refused. */
export const parseUrlSpec = (text: string, context: SpecContext): Spec | null => {
  if (TRANSPORT.test(text))
    throw new GsdError('SPEC_REFUSED', `${quote(text)} would run a git transport program`, { hint: ALLOWED_URLS_HINT })
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return null
  if (!Object.hasOwn(SCHEMES, scheme)) throw unknownSchemeError(text, scheme)
  const [url, fragment] = splitFragment(text)
  return SCHEMES[scheme as Scheme]({ text, url, fragment }, context)
}

type Scheme = 'https' | 'http' | 'ssh' | 'git+https' | 'git+http' | 'git+ssh' | 'file' | 'git+file'

const ALLOWED_URLS_HINT = 'write an https, ssh or file url'

/** The url without `git+`. */
const withoutGitPrefix = (typed: RawUrl): RawUrl => ({ ...typed, url: typed.url.replace(/^git\+/i, '') })

const SCHEMES = {
  https: (typed, context) => parseHttpsUrl(typed, context),
  http: (typed, context) => parseHttpsUrl(typed, context),
  ssh: (typed, context) => parseGitUrl(typed, context),
  'git+https': (typed, context) => parseGitUrl(withoutGitPrefix(typed), context),
  'git+http': (typed, context) => parseGitUrl(withoutGitPrefix(typed), context),
  'git+ssh': (typed, context) => parseGitUrl(withoutGitPrefix(typed), context),
  file: (typed) => parseFileUrl(typed, false),
  'git+file': (typed) => parseFileUrl(withoutGitPrefix(typed), true),
} satisfies Record<Scheme, (typed: RawUrl, context: SpecContext) => Spec>

const unknownSchemeError = (text: string, scheme: string): GsdError => {
  const near = scheme === 'git' ? 'https' : nearestWord(scheme, Object.keys(SCHEMES))
  const hint =
    near === null ? ALLOWED_URLS_HINT : `did you mean ${near}://${text.slice(scheme.length + 3)}? ${ALLOWED_URLS_HINT}`
  return new GsdError('SPEC_REFUSED', `${quote(text)} has the scheme ${quote(scheme)}, which is never fetched`, {
    hint,
  })
}

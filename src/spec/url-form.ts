import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { fileUrlForm } from './file-url-form.ts'
import type { SpecContext, TypedUrl } from './form.ts'
import { splitFragment } from './git-fragment.ts'
import { gitSpec } from './git-url.ts'
import { httpsSpec } from './https-spec.ts'
import type { Spec } from './spec.ts'

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i
const TRANSPORT = /^([a-z0-9+.-]+)::/i

/** Everything with a scheme in front: one row for each that is read, and a refusal for every other. */
export const urlForm = (text: string, context: SpecContext): Spec | null => {
  if (TRANSPORT.test(text))
    throw new GsdError('SPEC_REFUSED', `${quote(text)} would run a git transport program`, { hint: KINDS })
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  if (scheme === undefined) return null
  if (!Object.hasOwn(SCHEMES, scheme)) throw unknownScheme(text, scheme)
  const [url, fragment] = splitFragment(text)
  return SCHEMES[scheme as Scheme]({ text, url, fragment }, context)
}

type Scheme = 'https' | 'http' | 'ssh' | 'git+https' | 'git+http' | 'git+ssh' | 'file' | 'git+file'

const KINDS = 'write an https, ssh or file url'

/** The url without the `git+` that says it is a repository. */
const bare = (typed: TypedUrl): TypedUrl => ({ ...typed, url: typed.url.replace(/^git\+/i, '') })

const SCHEMES = {
  https: (typed, context) => httpsSpec(typed, context),
  http: (typed, context) => httpsSpec(typed, context),
  ssh: (typed, context) => gitSpec(typed, context),
  'git+https': (typed, context) => gitSpec(bare(typed), context),
  'git+http': (typed, context) => gitSpec(bare(typed), context),
  'git+ssh': (typed, context) => gitSpec(bare(typed), context),
  file: (typed) => fileUrlForm(typed, false),
  'git+file': (typed) => fileUrlForm(bare(typed), true),
} satisfies Record<Scheme, (typed: TypedUrl, context: SpecContext) => Spec>

const unknownScheme = (text: string, scheme: string): GsdError => {
  const near = scheme === 'git' ? 'https' : nearestWord(scheme, Object.keys(SCHEMES))
  const hint = near === null ? KINDS : `did you mean ${near}://${text.slice(scheme.length + 3)}? ${KINDS}`
  return new GsdError('SPEC_REFUSED', `${quote(text)} has the scheme ${quote(scheme)}, which is never fetched`, {
    hint,
  })
}

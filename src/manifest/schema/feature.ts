import { lazy } from '../../lazy.ts'
import { ANY_CONFIG_KEY, BUNDLE_PATH, ID, STEM } from '../grammar.ts'
import { refine, type JsonSchema } from '../shapes/json-schema.ts'
import { nameText, positive, text } from '../shapes/leaf-shapes.ts'
import { list, map, object, optional, refused, required, type Members } from '../shapes/object-shapes.ts'
import { CONFIG_REQUIRED } from './config.ts'
import { LOOP_MEMBERS } from './loop.ts'
import { PROGRAM_MEMBERS } from './programs.ts'

const isRegExp = (source: string): boolean => {
  try {
    return source !== '' && new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}

const RUNTIME_OR_WILDCARD = new RegExp(`${ID.source}|^\\*$`)

const NO_WILDCARD: JsonSchema = { not: { type: 'array', contains: { const: '*' } } }

const supported = list(
  'MANIFEST_RUNTIME_COMPAT_SUPPORTED',
  text('MANIFEST_RUNTIME_COMPAT_ID', { pattern: RUNTIME_OR_WILDCARD }),
  { nonEmpty: true },
)

/** Rule 13. A relation checks where `*` is allowed. */
export const RUNTIME_COMPAT = object('MANIFEST_RUNTIME_COMPAT', {
  supported: required({
    ...supported,
    schema: lazy(() => refine(supported.schema(), { anyOf: [{ const: ['*'] }, NO_WILDCARD] })),
  }),
  unsupported: required(
    list('MANIFEST_RUNTIME_COMPAT_UNSUPPORTED', text('MANIFEST_RUNTIME_COMPAT_ID', { pattern: ID })),
  ),
  notes: optional(
    map(
      'MANIFEST_RUNTIME_COMPAT_NOTES',
      { code: 'MANIFEST_RUNTIME_COMPAT_NOTES_KEY', pattern: RUNTIME_OR_WILDCARD },
      text('MANIFEST_RUNTIME_COMPAT_NOTE', { nonBlank: true }),
    ),
  ),
})

/** Rule 15. */
const hook = object('MANIFEST_HOOK', {
  event: required(text('MANIFEST_HOOK_EVENT', { pattern: /^[A-Za-z][A-Za-z0-9_:-]*$/ })),
  script: required(text('MANIFEST_HOOK_SCRIPT', { pattern: BUNDLE_PATH })),
  matcher: optional(text('MANIFEST_HOOK_MATCHER', { pattern: /./, test: isRegExp })),
  timeout: optional(positive('MANIFEST_HOOK_TIMEOUT')),
})

/** Rules 13–26, without relations between members. */
export const FEATURE_BODY = {
  runtimeCompat: required(RUNTIME_COMPAT),
  skills: required(list('MANIFEST_SKILLS', nameText('MANIFEST_SKILL', { pattern: STEM }), { unique: true })),
  agents: required(list('MANIFEST_AGENTS', nameText('MANIFEST_AGENT', { pattern: STEM }), { unique: true })),
  hooks: optional(list('MANIFEST_HOOKS', hook)),
  config: CONFIG_REQUIRED,
  ...LOOP_MEMBERS,
  activationKey: optional(nameText('MANIFEST_ACTIVATION_KEY', { pattern: ANY_CONFIG_KEY })),
  ...PROGRAM_MEMBERS,
  runtime: refused('MANIFEST_FEATURE_WITH_BODY'),
  reviewer: refused('MANIFEST_FEATURE_WITH_BODY'),
} as const satisfies Members

/** The members that rule 27 allows for features only. */
export const FEATURE_ONLY = [
  'skills',
  'agents',
  'hooks',
  'steps',
  'contributions',
  'gates',
  'activationKey',
] as const satisfies readonly (keyof typeof FEATURE_BODY)[]

/** The same as members that are not allowed for another role. */
export const featureOnlyRefused = (role: string): Members =>
  Object.fromEntries(FEATURE_ONLY.map((key) => [key, refused('MANIFEST_FEATURE_ONLY_FIELD', role)]))

import { isSecret, findSecretInArgument } from '../manifest/secrets.ts'
import { sha512Hex } from '../platform/hash.ts'
import { cleanText } from '../redact.ts'
import type { Surface } from './surface.ts'

/**
 * A surface as it is shown and stored with a consent: values that look like secrets are replaced by placeholders, different
 * ones for different values. Consent itself is bound to the surface with all its values.
 */
export const redactSurface = (surface: Surface): Surface => {
  switch (surface.kind) {
    case 'mcp-server':
      return { ...surface, args: redactArgs(surface.args), env: redactPairs(surface.env) }
    case 'mcp-remote':
      return { ...surface, url: redactText(surface.url), headers: redactPairs(surface.headers) }
    case 'lane-process':
      return { ...surface, args: redactArgs(surface.args) }
    case 'gate':
      return { ...surface, command: redactText(surface.command) }
    case 'hook':
    case 'command':
    case 'lane-http':
    case 'skill-script':
      return surface
  }
}

const redactPairs = (pairs: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, value]) => [
      name,
      isSecret(name, value) ? secretPlaceholder(value) : redactText(value),
    ]),
  )

/** Hides query strings and credentials of URLs, and known forms of keys, anywhere in a text. */
const redactText = (text: string): string => {
  const shown = cleanText(text)
  return shown === text ? text : `${shown} ${secretPlaceholder(text)}`
}

const redactArgs = (args: readonly string[]): readonly string[] =>
  args.map((arg, at) => {
    const secret = findSecretInArgument(args, at)
    return secret === null ? redactText(arg) : arg.slice(0, arg.length - secret.length) + secretPlaceholder(secret)
  })

/** Shows whether the value is the same as before, and its length. */
const secretPlaceholder = (value: string): string =>
  `<secret ${sha512Hex(value).slice(0, 6)}, ${value.length} characters>`

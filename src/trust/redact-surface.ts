import { createHash } from 'node:crypto'
import { isSecret, findSecretInArgument } from '../manifest/secrets.ts'
import { cleanText } from '../redact.ts'
import type { Surface } from './surface.ts'

/**
 * A surface as it is shown to people and kept beside a consent: values that look like secrets are hidden, each behind a mark
 * that is another one for another value. What consent is bound to is the surface itself, with every value as it is.
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

/** Query strings of urls, credentials in them and keys that announce themselves, wherever they stand. */
const redactText = (text: string): string => {
  const shown = cleanText(text)
  return shown === text ? text : `${shown} ${secretPlaceholder(text)}`
}

const redactArgs = (args: readonly string[]): readonly string[] =>
  args.map((arg, at) => {
    const secret = findSecretInArgument(args, at)
    return secret === null ? redactText(arg) : arg.slice(0, arg.length - secret.length) + secretPlaceholder(secret)
  })

/** Says whether it is the same value as before, and as good as nothing else of it. */
const secretPlaceholder = (value: string): string =>
  `<secret ${createHash('sha512').update(value).digest('hex').slice(0, 6)}, ${value.length} characters>`

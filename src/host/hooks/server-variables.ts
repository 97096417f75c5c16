import type { ServerVariables } from '../runtimes/runtime.ts'
import { quotePosix } from './hook-command.ts'

/** A local server with absolute paths, before a host's form of it. */
export interface LocalServer {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | null
}

/** The same where every variable reaches it. */
export interface ResolvedServer extends LocalServer {
  /** Variables the host has to hand on by name. */
  readonly passed: readonly string[]
}

/** Why a variable cannot reach a server, as a clause. */
export interface Unreachable {
  readonly reason: string
}

interface Variable {
  readonly name: string
  readonly fallback: string | null
}

/** A text and the variables in it, in order. */
export const splitVariables = (text: string): readonly (string | Variable)[] => {
  const parts: (string | Variable)[] = []
  let at = 0
  for (const match of text.matchAll(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g)) {
    if (match.index > at) parts.push(text.slice(at, match.index))
    parts.push({ name: match[1] ?? '', fallback: match[2] ?? null })
    at = match.index + match[0].length
  }
  return at < text.length ? [...parts, text.slice(at)] : parts
}

/** A text in the host's own form; null where it cannot say that in this member. */
export const translateVariables = (
  text: string,
  member: ServerVariables['members'][number],
  { form, members, defaults }: ServerVariables,
): string | null => {
  const parts = splitVariables(text)
  const isLiteral = parts.every((part) => typeof part === 'string')
  if (isLiteral) return text
  if (form === null || !members.includes(member)) return null
  if (defaults === true) return text
  if (parts.some((part) => typeof part === 'object' && part.fallback !== null)) return null
  return parts.map((part) => (typeof part === 'string' ? part : form.replace('NAME', () => part.name))).join('')
}

/**
 * Makes every variable reach a local server: in the host's own form, by the environment that it hands on, or by a shell that
 * reads them from there. `cwd` is entered by a shell where the host does not do it.
 */
export const resolveVariables = (
  server: LocalServer,
  variables: ServerVariables,
  hasCwd: boolean,
): ResolvedServer | Unreachable => {
  const args = server.args.map((arg) => translateVariables(arg, 'args', variables))
  const env = Object.entries(server.env).map(([key, value]) => ({
    key,
    value,
    own: translateVariables(value, 'env', variables),
  }))
  const left = [
    ...server.args.filter((_, index) => args[index] === null),
    ...env.filter(({ own }) => own === null).map(({ value }) => value),
  ]
  const names = [
    ...new Set(left.flatMap(splitVariables).flatMap((part) => (typeof part === 'string' ? [] : [part.name]))),
  ]
  const [first] = left
  if (first !== undefined && (variables.inherits === 'none' || replacesInArguments(variables)))
    return { reason: `it cannot replace the variable in ${JSON.stringify(first)}` }
  // One that keeps its name is there already.
  const assigned = env.filter(({ key, value, own }) => own === null && value !== `\${${key}}`)
  const inShell = args.includes(null)
  const resolved: ResolvedServer = {
    command: server.command,
    args: inShell ? [] : args.map((arg) => arg ?? ''),
    env: Object.fromEntries(env.flatMap(({ key, own }) => (own === null ? [] : [[key, own]]))),
    cwd: hasCwd ? server.cwd : null,
    passed: variables.inherits === 'by-name' ? names : [],
  }
  const folder = hasCwd ? null : server.cwd
  if (assigned.length === 0 && !inShell && folder === null) return resolved
  const words = [
    ...(assigned.length === 0 ? [] : ['env', ...assigned.map(({ key, value }) => shellWord(`${key}=${value}`))]),
    ...(inShell ? [server.command, ...server.args].map(shellWord) : ['"$@"']),
  ]
  const script = `${folder === null ? '' : 'cd "$1" && shift && '}exec ${words.join(' ')}`
  const given = [...(folder === null ? [] : [folder]), ...(inShell ? [] : [server.command, ...resolved.args])]
  return { ...resolved, command: 'sh', args: ['-c', script, ...(given.length === 0 ? [] : ['sh', ...given])] }
}

/** A script among the arguments would get the value of a variable as text. */
const replacesInArguments = ({ form, members }: ServerVariables): boolean => form !== null && members.includes('args')

/** A word for the shell, with each variable in double quotes. */
const shellWord = (text: string): string =>
  splitVariables(text)
    .map((part) => {
      if (typeof part === 'string') return quotePosix(part)
      return part.fallback === null
        ? `"\${${part.name}}"`
        : `"\${${part.name}:-${part.fallback.replaceAll(/[\\"$`}]/g, String.raw`\$&`)}}"`
    })
    .join('')

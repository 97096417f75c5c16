import { containsKey } from '../redact.ts'

const SECRET_NAME = /token|secret|passw|passphrase|api[_-]?key|auth|credential|private[_-]?key|access[_-]?key|cookie/i
/** Openings of well-known kinds of keys. */
const SECRET_VALUE =
  /^(?:(?:bearer|basic)\s+)?(?:sk-|pk_live|rk_live|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ|npm_|-----BEGIN)/i
/**
 * Filled in by the host from the user's environment: `${NAME}`, `{{name}}`, `<name>`, nothing but `$NAME`; or plainly no
 * secret. A `$` among other characters is one of a password.
 */
const REFERENCE =
  /\$\{|\{\{|^<.*>$|^$|^(?:(?:bearer|basic|token)\s+)?(?:\$[A-Za-z_]\w*[^\w$]*)+$|^(?:true|false|none|[0-9]+|https?:\/\/\S*|[./~]\S*)$/i
const PASSWORD_IN_URL = /:\/\/[^\s/?#:@]*:([^\s/?#]*)@/g
const QUERY_MEMBER = /[?&]([^\s=&#?]+)=([^\s&#]*)/g

/** Whether a named value looks like a secret in clear (rule 25). */
export const isSecret = (name: string, value: string): boolean =>
  isSecretValue(value) || (SECRET_NAME.test(name) && !REFERENCE.test(value))

/** Whether a secret stands somewhere in a text: a key that announces itself, or a password or token in a url. */
export const containsSecret = (text: string): boolean =>
  containsKey(text) ||
  (text.includes('://') &&
    ([...text.matchAll(PASSWORD_IN_URL)].some(([, password = '']) => !REFERENCE.test(password)) ||
      [...text.matchAll(QUERY_MEMBER)].some(([, name = '', value = '']) => isSecret(name, value))))

/** What of an argument is a secret: all of it, all after `--name=`, or nothing that its place or its opening gives away. */
export const findSecretInArgument = (args: readonly string[], at: number): string | null => {
  const arg = args[at] ?? ''
  if (isSecretValue(arg)) return arg
  const [, flag, value] = /^(-{1,2}[A-Za-z][\w-]*=)(.*)$/s.exec(arg) ?? []
  if (flag !== undefined && value !== undefined) return isSecret(flag, value) ? value : null
  const before = args[at - 1] ?? ''
  return /^-{1,2}[A-Za-z][\w-]*$/.test(before) && !arg.startsWith('-') && isSecret(before, arg) ? arg : null
}

/** Whether a value announces itself as one. */
export const isSecretValue = (value: string): boolean => SECRET_VALUE.test(value)

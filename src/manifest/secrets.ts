import { containsKey } from '../redact.ts'

const SECRET_NAME = /token|secret|passw|passphrase|api[_-]?key|auth|credential|private[_-]?key|access[_-]?key|cookie/i
/** Prefixes of well-known kinds of keys. */
const SECRET_VALUE =
  /^(?:(?:bearer|basic)\s+)?(?:sk-|pk_live|rk_live|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ|npm_|-----BEGIN)/i
/**
 * A reference that the host replaces from the user's environment (`${NAME}`, `{{name}}`, `<name>`, a lone `$NAME`), or
 * clearly not a secret. A `$` among other characters can be part of a password.
 */
const REFERENCE =
  /\$\{|\{\{|^<.*>$|^$|^(?:(?:bearer|basic|token)\s+)?(?:\$[A-Za-z_]\w*[^\w$]*)+$|^(?:true|false|none|[0-9]+|https?:\/\/\S*|[./~]\S*)$/i
const PASSWORD_IN_URL = /:\/\/[^\s/?#:@]*:([^\s/?#]*)@/g
const QUERY_MEMBER = /[?&]([^\s=&#?]+)=([^\s&#]*)/g

/** Whether a named value looks like a secret in plain text (rule 25). */
export const isSecret = (name: string, value: string): boolean =>
  isSecretValue(value) || (SECRET_NAME.test(name) && !REFERENCE.test(value))

/** Whether a text contains a secret: a key with a well-known prefix, or a password or token in a url. */
export const containsSecret = (text: string): boolean =>
  containsKey(text) ||
  (text.includes('://') &&
    ([...text.matchAll(PASSWORD_IN_URL)].some(([, password = '']) => !REFERENCE.test(password)) ||
      [...text.matchAll(QUERY_MEMBER)].some(([, name = '', value = '']) => isSecret(name, value))))

/** The secret part of an argument: all of it, or the value after `--name=`; null when nothing suggests one. */
export const findSecretInArgument = (args: readonly string[], at: number): string | null => {
  const arg = args[at] ?? ''
  if (isSecretValue(arg)) return arg
  const [, flag, value] = /^(-{1,2}[A-Za-z][\w-]*=)(.*)$/s.exec(arg) ?? []
  if (flag !== undefined && value !== undefined) return isSecret(flag, value) ? value : null
  const before = args[at - 1] ?? ''
  return /^-{1,2}[A-Za-z][\w-]*$/.test(before) && !arg.startsWith('-') && isSecret(before, arg) ? arg : null
}

/** Whether a value has the prefix of a well-known kind of key. */
export const isSecretValue = (value: string): boolean => SECRET_VALUE.test(value)

const SECRET_NAME = /token|secret|passw|passphrase|api[_-]?key|auth|credential|private[_-]?key|access[_-]?key|cookie/i
/** Openings of well-known kinds of keys. */
const SECRET_VALUE =
  /^(?:(?:bearer|basic)\s+)?(?:sk-|pk_live|rk_live|gh[opsur]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza|eyJ|npm_|-----BEGIN)/i
/** Filled in by the host from the user's environment: `${NAME}`, `$NAME`, `{{name}}`, `<name>`; or plainly no secret. */
const REFERENCE = /\$\{|\$[A-Za-z_]|\{\{|^<.*>$|^$|^(?:true|false|none|[0-9]+|https?:\/\/\S*|[./~]\S*)$/i

/** Whether a named value looks like a secret in clear (rule 25). */
export const isSecret = (name: string, value: string): boolean =>
  isSecretValue(value) || (SECRET_NAME.test(name) && !REFERENCE.test(value))

/** Whether a value announces itself as one. */
export const isSecretValue = (value: string): boolean => SECRET_VALUE.test(value)

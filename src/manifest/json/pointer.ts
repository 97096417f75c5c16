import { truncate } from '../../redact.ts'

/** Keys and indexes from the root to a value. */
export type Path = readonly (string | number)[]

/** JSON pointer (RFC 6901) of a member: `~` becomes `~0`, `/` becomes `~1`. */
export const pointerTo = (parent: string, key: string | number): string =>
  `${parent}/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** JSON pointer of a path; the root is the empty text. */
export const pointerOf = (path: Path): string => path.reduce<string>(pointerTo, '')

/** The path of a JSON pointer; array indexes come as text. */
export const pathOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** A path in JavaScript notation: `hooks[0].script`, `config["workflow.ui"].default`; the root is "the manifest". */
export const formatPath = (path: Path): string => {
  if (path.length === 0) return 'the manifest'
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (PLAIN_NAME.test(step)) text += text === '' ? step : `.${step}`
    else text += `[${JSON.stringify(truncate(step, MAX_STEP_LENGTH))}]`
  }
  return text
}

const PLAIN_NAME = /^[A-Za-z$_][A-Za-z0-9_$-]{0,63}$/
const MAX_STEP_LENGTH = 80

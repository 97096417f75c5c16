import { GsdError } from '../../errors.ts'
import type { Predicate } from '../../manifest/manifest.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import { nestsDeeper } from '../config/json-with-comments.ts'
import { isObject } from '../config/value-type.ts'

const DEEPEST = 64
const LONGEST_COMMAND = 4096
const MOST_SECONDS = 600

/** What each kind needs, by name, and how to say what is wrong with it. */
const MEMBERS = {
  'artifact-exists': { artifact: 'text' },
  'config-equals': { key: 'text', equals: 'value' },
  'artifact-frontmatter-equals': { artifact: 'text', field: 'text', equals: 'value' },
  'command-exit-zero': { command: 'text' },
} as const satisfies Record<Predicate['kind'], Readonly<Record<string, 'text' | 'value'>>>

const KINDS = Object.keys(MEMBERS)

/** Reads a predicate from JSON text. @throws GsdError USAGE_BAD_VALUE */
export const parsePredicate = (text: string): Predicate => {
  if (nestsDeeper(text, DEEPEST)) throw bad('the predicate nests too deep')
  try {
    return checkPredicate(JSON.parse(text) as unknown)
  } catch (error) {
    if (error instanceof GsdError) throw error
    throw bad(`the predicate is not JSON: ${quote(text)}`)
  }
}

/** A value as a predicate, for callers without a manifest (rule 20). @throws GsdError USAGE_BAD_VALUE */
export const checkPredicate = (value: unknown): Predicate => {
  if (!isObject(value)) throw bad(`the predicate is ${quote(value)}, which is not an object`)
  const kind = Object.hasOwn(value, 'kind') ? value['kind'] : undefined
  if (typeof kind !== 'string' || !isKind(kind)) throw unknownKind(kind)
  for (const [name, form] of Object.entries(MEMBERS[kind])) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined
    if (member === undefined) throw bad(`the predicate ${kind} needs ${quote(name)}`)
    if (form === 'text' && (typeof member !== 'string' || member === ''))
      throw bad(`${quote(name)} of the predicate ${kind} is ${quote(member)}, which is not a text`)
  }
  if (kind === 'command-exit-zero') checkCommand(value)
  return value as Predicate
}

const isKind = (kind: string): kind is Predicate['kind'] => KINDS.includes(kind)

const checkCommand = ({ command, timeout }: Readonly<Record<string, unknown>>): void => {
  if (typeof command === 'string' && command.length > LONGEST_COMMAND)
    throw bad(`the command is longer than ${LONGEST_COMMAND} characters`)
  if (timeout === undefined) return
  if (typeof timeout !== 'number' || !(timeout > 0) || timeout > MOST_SECONDS)
    throw bad(`the timeout is ${quote(timeout)}, which is not a number of seconds up to ${MOST_SECONDS}`)
}

const unknownKind = (kind: unknown): GsdError => {
  const near = typeof kind === 'string' ? nearestWord(kind, KINDS) : null
  return bad(
    `unknown kind of predicate ${quote(kind ?? null)}`,
    near === null ? `the kinds are: ${KINDS.join(', ')}` : `did you mean ${near}?`,
  )
}

const bad = (
  message: string,
  hint = `write {"kind":"artifact-exists","artifact":"PLAN.md"}, or another of: ${KINDS.join(', ')}`,
) => new GsdError('USAGE_BAD_VALUE', message, { hint })

import { parseArgs } from 'node:util'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Flag, Flags } from './command.ts'
import { unknownWordError } from './suggest.ts'

/** Values by flag name; {@link FlagValues} is the type for a known table. */
export type GivenFlags = Readonly<Record<string, boolean | string | readonly string[] | undefined>>

/**
 * Checks typed flags against a table.
 * @throws GsdError USAGE_UNKNOWN_FLAG, USAGE_BAD_VALUE, USAGE_MISSING_ARGUMENT or USAGE_CONFLICT.
 */
export const parseFlags = (typed: readonly TypedFlag[], known: Flags): GivenFlags => {
  const given: Record<string, boolean | string | readonly string[] | undefined> = {}
  for (const [name, flag] of Object.entries(known)) given[name] = DEFAULTS[flag.kind](flag as never)
  const seen = new Map<string, TypedFlag>()
  for (const one of typed) {
    const { name, off } = findFlag(one.name, known) ?? throwUnknownFlag(one, known)
    const flag = known[name] as Flag
    const value = flag.kind === 'switch' ? switchValue(one, off) : parseValue(one, flag, known)
    const before = seen.get(name)
    if (before !== undefined && flag.kind !== 'list' && given[name] !== value) throw conflictingFlags(before, one)
    given[name] =
      flag.kind === 'list' ? [...(given[name] as readonly string[]), ...partsOf(flag, value as string)] : value
    seen.set(name, one)
  }
  return given
}

/** Whether a table has a flag. */
export const isKnownFlag = (typed: TypedFlag, known: Flags): boolean => findFlag(typed.name, known) !== null

/** Every way to write the flags of a table, dashes included. */
export const flagForms = (known: Flags): readonly string[] =>
  Object.entries(known).flatMap(([name, flag]) =>
    flag.kind === 'switch' && flag.negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  )

/** The error for an unknown flag. */
export const unknownFlag = (typed: TypedFlag, known: Flags): GsdError => {
  const dashed = typed.raw.split('=', 1)[0] ?? typed.raw
  return unknownWordError('USAGE_UNKNOWN_FLAG', 'flag', dashed, flagForms(known))
}

const throwUnknownFlag = (typed: TypedFlag, known: Flags): never => {
  throw unknownFlag(typed, known)
}

const DEFAULTS: { readonly [K in Flag['kind']]: (flag: Extract<Flag, { kind: K }>) => GivenFlags[string] } = {
  switch: (flag) => (flag.negatable ? undefined : false),
  text: () => undefined,
  choice: () => undefined,
  list: () => [],
}

/** One-letter forms; `-h` is apart, since only it may stand beside a mistake. */
const SHORT_FLAGS: Readonly<Record<string, { readonly name: string; readonly value?: string }>> = {
  y: { name: 'yes' },
  g: { name: 'scope', value: 'global' },
  p: { name: 'scope', value: 'project' },
}

const findFlag = (typed: string, known: Flags): { name: string; off: boolean } | null => {
  if (typed === 'h' && Object.hasOwn(known, 'help')) return { name: 'help', off: false }
  if (Object.hasOwn(known, typed)) return { name: typed, off: false }
  const name = typed.startsWith('no-') ? typed.slice('no-'.length) : ''
  const flag = Object.hasOwn(known, name) ? known[name] : undefined
  return flag?.kind === 'switch' && flag.negatable ? { name, off: true } : null
}

const switchValue = (typed: TypedFlag, off: boolean): boolean => {
  if (typed.hasInlineValue)
    throw new GsdError('USAGE_BAD_VALUE', `--${typed.name} takes no value, but got ${quote(typed.value)}`, {
      hint: `write --${typed.name}, or leave it out`,
    })
  return !off
}

const parseValue = (typed: TypedFlag, flag: Exclude<Flag, { kind: 'switch' }>, known: Flags): string => {
  const name = `--${typed.name}`
  const wanted = flag.kind === 'choice' ? flag.values.join('|') : flag.value
  const value = typed.value
  if (value === undefined || (!typed.hasInlineValue && isFlag(value, known)))
    throw new GsdError('USAGE_MISSING_ARGUMENT', `${name} needs a value`, {
      hint:
        value === undefined
          ? `write ${name}=${wanted}`
          : `write ${name}=${wanted}; if ${value} is the value: ${name}=${value}`,
    })
  const isBlank = flag.kind === 'list' ? partsOf(flag, value).includes('') : value === ''
  if (isBlank && !(flag.kind === 'text' && flag.blank))
    throw new GsdError('USAGE_BAD_VALUE', `${name} has an empty value: ${quote(value)}`, {
      hint: `write ${name}=${wanted}`,
    })
  if (flag.kind === 'choice' && !flag.values.includes(value))
    throw unknownWordError('USAGE_BAD_VALUE', `value of ${name}`, value, flag.values, (word) => `${name} ${word}`)
  return value
}

const partsOf = (flag: Extract<Flag, { kind: 'list' }>, value: string): readonly string[] =>
  flag.whole ? [value] : value.split(',')

/** A flag that follows one which needs a value: then the value was forgotten. Anything else with a dash is a value. */
const isFlag = (value: string, known: Flags): boolean =>
  value === '--' ||
  /^-[hygp]$/.test(value) ||
  (value.startsWith('--') && findFlag(value.slice(2).split('=', 1)[0] ?? '', known) !== null)

const conflictingFlags = (before: TypedFlag, again: TypedFlag): GsdError =>
  new GsdError('USAGE_CONFLICT', `${quote(before.raw)} and ${quote(again.raw)} contradict each other`, {
    hint: 'keep one of them',
  })

/** A flag as it was typed. */
export interface TypedFlag {
  /** Without dashes and value: `dry-run`, `no-downgrade`, `h`. */
  readonly name: string
  /** The whole argument: `--scope=global`, `-h`. */
  readonly raw: string
  /** Undefined where none was given. */
  readonly value: string | undefined
  /** The value was given with `=`. */
  readonly hasInlineValue: boolean
}

/** A command line in its parts, unchecked. */
export interface SplitArguments {
  /** Arguments before `--`, in order: noun, verb, and what follows. */
  readonly words: readonly string[]
  /** Arguments after `--`. */
  readonly afterTerminator: readonly string[]
  readonly flags: readonly TypedFlag[]
}

/** Splits a command line; `known` says which flags take the next argument as their value. */
export const splitArguments = (argv: readonly string[], known: Flags): SplitArguments => {
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionsOf(known),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const end = tokens.find((token) => token.kind === 'option-terminator')?.index ?? argv.length
  const words: string[] = []
  const afterTerminator: string[] = []
  const flags: TypedFlag[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') (token.index < end ? words : afterTerminator).push(token.value)
    if (token.kind !== 'option') continue
    const raw = argv[token.index] ?? token.rawName
    const short = token.rawName.startsWith('--') ? undefined : SHORT_FLAGS[token.name]
    flags.push({
      name: short?.name ?? token.name,
      raw,
      value: short === undefined ? token.value : short.value,
      hasInlineValue: short === undefined ? token.inlineValue === true : short.value !== undefined,
    })
  }
  return { words, afterTerminator, flags }
}

const optionsOf = (known: Flags): Record<string, { type: 'boolean' | 'string'; short?: string }> => ({
  ...Object.fromEntries(
    Object.entries(known).map(([name, flag]) => [
      name,
      { type: flag.kind === 'switch' ? 'boolean' : 'string' } as const,
    ]),
  ),
  help: { type: 'boolean', short: 'h' },
})

/** Whether a line asks for JSON, even if the rest of it is wrong. */
export const wantsJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? argv.length : end).some((arg) => arg === '--json' || arg.startsWith('--json='))
}

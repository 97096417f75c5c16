import { GsdError } from '../errors.ts'
import { COMMANDS, commandsOf, findTarget, TOP_FLAGS } from './command-table.ts'
import type { Flag, Flags } from './command.ts'
import { type Argument, type Command, COMMON_FLAGS, findNoun, isVerbOf, type Noun, NOUNS } from './command.ts'
import { HELP_TOPICS, type HelpTopic } from './help-topics.ts'
import { unknownWordError } from './suggest.ts'
import type { Style } from './view/view.ts'

/**
 * The help for a topic: words of a command line, or the name of a page.
 * @throws GsdError USAGE_UNKNOWN_COMMAND with the nearest topic.
 */
export const helpFor = (topic: readonly string[], style: Style): string => {
  const [first, second, third] = topic
  if (first === undefined) return topHelp(style)
  const page = Object.hasOwn(HELP_TOPICS, first)
    ? (HELP_TOPICS as Readonly<Record<string, HelpTopic>>)[first]
    : undefined
  if (page !== undefined && second === undefined) return page.text()
  const target = findTarget(topic)
  if (target.kind === 'help' || third !== undefined || (page !== undefined && second !== undefined))
    throw new GsdError('USAGE_UNKNOWN_COMMAND', `no help on ${topic.join(' ')}`, { hint: 'gsd help' })
  const noun = second === undefined ? findNoun(first) : null
  if (noun !== null) return nounHelp(noun, style)
  if (target.kind === 'command') return commandHelp(target.command, style)
  const verb = COMMANDS.find((command) => isVerbOf(command, first))
  if (verb !== undefined && second === undefined) return commandHelp(verb, style)
  if (findNoun(first) !== null && target.kind === 'mistyped') throw target.error
  throw unknownWordError('USAGE_UNKNOWN_COMMAND', 'help topic', first, topicNames(), (word) => `gsd help ${word}`)
}

const topicNames = (): string[] => [
  ...new Set([...Object.keys(NOUNS), ...Object.keys(HELP_TOPICS), ...COMMANDS.map((command) => command.verb)]),
]

const topHelp = (style: Style): string =>
  [
    'Install, verify and load capabilities for AI coding agents.',
    section('Usage', ['gsd <command> [arguments] [flags]'], style),
    ...(Object.keys(NOUNS) as Noun[]).map((noun) => section(nounTitle(noun), commandRows(commandsOf(noun)), style)),
    section('Flags', flagRows(TOP_FLAGS), style),
    section(
      'More',
      rows([
        ['gsd help <command>', 'arguments, flags and examples of a command'],
        ...Object.entries(HELP_TOPICS).map(([name, page]) => [`gsd help ${name}`, page.summary] as const),
      ]),
      style,
    ),
  ].join('\n\n')

const nounHelp = (noun: Noun, style: Style): string =>
  [
    section('Usage', [`gsd ${noun} <command> [arguments] [flags]`], style),
    section('Commands', commandRows(commandsOf(noun)), style),
    section('Common flags', flagRows(COMMON_FLAGS), style),
    section('More', rows([[`gsd help ${noun} <command>`, 'arguments, flags and examples of a command']]), style),
  ].join('\n\n')

const commandHelp = (command: Command, style: Style): string =>
  [
    command.summary,
    section('Usage', [usageOf(command)], style),
    command.aliases === undefined ? '' : section('Aliases', [command.aliases.join(', ')], style),
    section('Arguments', rows(command.args.map((arg) => [argumentText(arg), arg.summary] as const)), style),
    section('Flags', flagRows(command.flags), style),
    section('Common flags', flagRows(COMMON_FLAGS), style),
    section('Examples', command.examples, style),
  ]
    .filter((part) => part !== '')
    .join('\n\n')

/** `gsd capability install <spec>… [flags]` */
export const usageOf = (command: Command): string =>
  ['gsd', command.noun, command.verb, ...command.args.map(argumentText), '[flags]'].join(' ')

export const argumentText = ({ name, optional, many }: Argument): string => {
  const text = `<${name}>${many ? '…' : ''}`
  return optional ? `[${text}]` : text
}

const nounTitle = (noun: Noun): string =>
  `Commands of gsd ${noun}${NOUNS[noun].map((alias) => ` (short: ${alias})`).join('')}`

const commandRows = (commands: readonly Command[]): string[] =>
  rows(
    commands.map((command) => [[command.verb, ...command.args.map(argumentText)].join(' '), command.summary] as const),
  )

const flagRows = (flags: Flags): string[] =>
  rows(Object.entries(flags).map(([name, flag]) => [flagText(name, flag), flag.summary] as const))

/** Switches with a one-letter form. */
const SHORT_FORMS: ReadonlySet<string> = new Set(['help', 'yes'])

export const flagText = (name: string, flag: Flag): string => {
  if (flag.kind === 'switch')
    return flag.negatable
      ? `--${name}, --no-${name}`
      : `${SHORT_FORMS.has(name) ? `-${name.charAt(0)}, ` : ''}--${name}`
  return `--${name} ${flag.kind === 'choice' ? flag.values.join('|') : flag.value}`
}

const rows = (pairs: readonly (readonly [string, string])[]): string[] => {
  const width = Math.max(0, ...pairs.map(([left]) => left.length))
  return pairs.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}

const section = (title: string, lines: readonly string[], style: Style): string =>
  lines.length === 0 ? '' : [style('bold', title), ...lines.map((line) => `  ${line}`)].join('\n')

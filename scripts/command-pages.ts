import { COMMANDS, commandsOf } from '../src/cli/command-table.ts'
import type { Flag, Flags } from '../src/cli/command.ts'
import { type Command, COMMON_FLAGS, type Noun, NOUNS } from '../src/cli/command.ts'
import { HELP_TOPICS, type HelpTopic, STATUS_MEANINGS } from '../src/cli/help-topics.ts'
import { argumentText, flagText, usageOf } from '../src/cli/help.ts'
import { block, code, page, table } from './markdown.ts'

/** `docs/reference/cli.md`: every command with its arguments, flags and examples, from the command table. */
export const commandsPage = (): string =>
  page([
    '# Command line',
    'Every command, generated from the command table by `npm run generate`. `gsd help <command>` says the same.',
    `\`\`\`text\ngsd <noun> <verb> [arguments] [flags]\n\`\`\``,
    'Flags may come before or after arguments. `--flag=value` and `--flag value` are the same. After `--` nothing is a flag. Unknown ' +
      'words and flags are refused, with the nearest known one.',
    'Answers go to stdout; progress, warnings and errors to stderr. With `--json`, stdout is exactly [one JSON document](json.md). ' +
      'Without a terminal nothing is asked.',
    ...(Object.keys(NOUNS) as Noun[]).map(overview),
    '## Flags of every command',
    flagTable(COMMON_FLAGS),
    '`gsd --version` shows the version.',
    ...COMMANDS.flatMap(commandParts),
    ...Object.entries(HELP_TOPICS)
      .filter(([name]) => name !== 'exit-statuses')
      .flatMap(([name, topic]) => topicParts(name, topic)),
    '## Exit statuses',
    statusTable(),
    '[Error codes](error-codes.md) lists the codes of each.',
  ])

/** The exit statuses with what each means. */
export const statusTable = (): string => table(['Status', 'Meaning'], Object.entries(STATUS_MEANINGS))

const overview = (noun: Noun): string =>
  [
    `## gsd ${noun}`,
    ...NOUNS[noun].map((alias) => `\nShort: ${code(`gsd ${alias}`)}.`),
    '',
    table(
      ['Command', 'What it does'],
      commandsOf(noun).map((command) => [
        `[${command.verb}](#${`gsd ${command.noun} ${command.verb}`.replaceAll(' ', '-')})`,
        command.summary,
      ]),
    ),
  ].join('\n')

const commandParts = (command: Command): string[] => [
  `## gsd ${command.noun} ${command.verb}`,
  command.summary,
  block(usageOf(command)),
  command.aliases === undefined ? '' : `Aliases: ${command.aliases.map(code).join(', ')}.`,
  command.args.length === 0
    ? ''
    : table(
        ['Argument', 'Meaning'],
        command.args.map((argument) => [code(argumentText(argument)), argument.summary]),
      ),
  Object.keys(command.flags).length === 0 ? '' : flagTable(command.flags),
  command.examples.length === 0 ? '' : block(command.examples.join('\n')),
]

const flagTable = (flags: Flags): string =>
  table(
    ['Flag', 'Meaning'],
    Object.entries(flags).map(([name, flag]) => [code(flagText(name, flag)), meaningOf(flag)]),
  )

const meaningOf = (flag: Flag): string =>
  flag.kind === 'list' && !flag.whole ? `${flag.summary}; several with commas, or by repeating it` : flag.summary

const topicParts = (name: string, topic: HelpTopic): string[] => [
  `## gsd help ${name}`,
  `${topic.summary[0]?.toUpperCase()}${topic.summary.slice(1)}.`,
  block(topic.text()),
]

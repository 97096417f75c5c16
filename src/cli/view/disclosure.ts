import { cleanText } from '../../redact.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import { formatHiddenFinding } from '../../trust/hidden-text/hidden-finding.ts'
import { redactSurface } from '../../trust/redact-surface.ts'
import type { Surface } from '../../trust/surface.ts'
import { differenceLines } from './difference.ts'
import { countText } from './view.ts'

type Of<K extends Surface['kind']> = Extract<Surface, { kind: K }>

/** One capability's disclosure as lines of text: what it is, everything of it that runs, what else it brings, what is edited. */
export const disclosureLines = (disclosure: Disclosure): readonly string[] =>
  [
    `${disclosure.id} ${disclosure.version}  ${disclosure.title}`,
    ...originLines(disclosure),
    ...(disclosure.difference === null ? [] : differenceLines(disclosure.difference).map((line) => `  ${line}`)),
    ...(disclosure.surfaces.length === 0
      ? ['  runs nothing and sends nothing']
      : ['  what it runs, or sends:', ...disclosure.surfaces.flatMap((surface) => indent(surfaceLines(surface)))]),
    ...namesLine('skills', disclosure.skills),
    ...namesLine('agents', disclosure.agents),
    ...namesLine('prompt text', disclosure.fragments),
    ...(disclosure.hidden.length === 0 ? [] : ['  characters that a reader does not see:']),
    ...disclosure.hidden.map((finding) => `    ${formatHiddenFinding(finding)}`),
    ...disclosure.edits.map((edit) => `  edits ${edit.file} (${edit.runtime})`),
  ].map(cleanText)

/** A first-party one has no digest: it is part of the program. */
const originLines = ({ spec, scope, files, bytes, digest }: Disclosure): readonly string[] =>
  digest === ''
    ? ['  comes with the program: it is updated with it, and can be disabled']
    : [`  from ${spec} into the ${scope} scope: ${countText(files, 'file')}, ${bytes} bytes`, `  digest ${digest}`]

/** The lines of one surface; the first names it. Secrets are hidden. */
const surfaceLines = (surface: Surface): readonly string[] =>
  SURFACE_LINES[surface.kind](redactSurface(surface) as never)

const SURFACE_LINES: { readonly [K in Surface['kind']]: (surface: Of<K>) => readonly string[] } = {
  hook: (hook) => [
    `hook on ${hook.event}${hook.matcher === null ? ', for everything' : `, where ${quoteArgument(hook.matcher)} matches`}`,
    `  runs ${hook.script}${hook.timeout === null ? '' : ` for at most ${hook.timeout} s`}`,
    ...hash(hook.sha512),
  ],
  'mcp-server': (server) => [
    `MCP server ${quoteArgument(server.name)}`,
    `  runs ${[server.command, ...server.args].map(quoteArgument).join(' ')}`,
    ...(server.cwd === null ? [] : [`  in ${server.cwd}`]),
    ...pairs('with', server.env),
    ...hash(server.sha512),
  ],
  'mcp-remote': (server) => [
    `MCP server ${quoteArgument(server.name)} over ${server.transport}`,
    `  talks to ${server.url}`,
    ...pairs('header', server.headers),
  ],
  command: (command) => [
    `command family ${command.family}${command.subcommands.length === 0 ? '' : ` (${command.subcommands.join(', ')})`}`,
    `  loads ${command.module}, calls ${command.router}`,
    ...hash(command.sha512),
  ],
  gate: (gate) => [
    `${gate.blocking ? 'blocking ' : ''}gate at ${gate.point}${gate.when === null ? '' : `, when ${gate.when} is on`}`,
    `  runs ${quoteArgument(gate.command)}${gate.timeout === null ? '' : ` for at most ${gate.timeout} s`}`,
    `  when it cannot be judged: ${gate.onError}`,
  ],
  'lane-process': (lane) => [
    `reviewer lane ${lane.slug}: your plans are handed to a program`,
    `  runs ${[lane.binary, ...lane.args].map(quoteArgument).join(' ')}`,
    ...bodyLines(lane.body),
  ],
  'lane-http': (lane) => [
    `reviewer lane ${lane.slug}: your plans are sent over the network`,
    `  to ${lane.host ?? 'the host you configure'}${lane.hostConfigKey === null ? '' : `, or what ${lane.hostConfigKey} says`}`,
    ...bodyLines(lane.body),
  ],
}

/** The rest of a lane's body: how it is found, and what else shapes the call. */
const bodyLines = (body: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    value === undefined || value === null
      ? []
      : [`  ${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`],
  )

const hash = (sha512: string | null): string[] => (sha512 === null ? [] : [`  sha512 ${sha512}`])
const pairs = (word: string, map: Readonly<Record<string, string>>): string[] =>
  Object.entries(map).map(([key, value]) => `  ${word} ${key}=${quoteArgument(value)}`)
const indent = (lines: readonly string[]): string[] => lines.map((line) => `    ${line}`)
const namesLine = (noun: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`  ${noun} (${names.length}): ${names.join(', ')}`]
/** A word of a command as a reader can tell it apart from its neighbours. */
const quoteArgument = (word: string): string => (/^[\w./:@%+=,{}-]+$/.test(word) ? word : JSON.stringify(word))

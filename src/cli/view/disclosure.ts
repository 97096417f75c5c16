import { cleanText } from '../../redact.ts'
import { type ChangedSurface, type Difference, surfaceName } from '../../trust/compare-surfaces.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import { formatFileName, formatHiddenFinding } from '../../trust/hidden-text/hidden-finding.ts'
import { redactSurface } from '../../trust/redact-surface.ts'
import type { Surface } from '../../trust/surface.ts'
import { countText } from './view.ts'

type Of<K extends Surface['kind']> = Extract<Surface, { kind: K }>

/** One capability's disclosure as lines: what it is, everything that runs, other contents, edited files. */
export const disclosureLines = (disclosure: Disclosure): readonly string[] =>
  [
    `${disclosure.id} ${disclosure.version}  ${disclosure.title}`,
    ...originLines(disclosure),
    ...(disclosure.difference === null ? [] : differenceLines(disclosure.difference).map((line) => `  ${line}`)),
    ...(disclosure.surfaces.length === 0
      ? ['  runs nothing and sends nothing']
      : ['  what it runs or sends:', ...disclosure.surfaces.flatMap((surface) => indent(surfaceLines(surface)))]),
    ...namesLine('skills', disclosure.skills),
    ...namesLine('agents', disclosure.agents),
    ...namesLine('prompt text', disclosure.fragments),
    ...(disclosure.hidden.length === 0 ? [] : ['  invisible characters:']),
    ...disclosure.hidden.map((finding) => `    ${formatHiddenFinding(finding)}`),
    ...disclosure.edits.map((edit) => `  edits ${edit.file} (${edit.runtime})`),
  ].map(cleanText)

/** A first-party capability has no digest: it is part of the program. */
const originLines = ({ spec, scope, files, bytes, digest }: Disclosure): readonly string[] =>
  digest === ''
    ? ['  part of the program: updated with it, and can be disabled']
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
    `  if it fails to run: ${gate.onError}`,
  ],
  'lane-process': (lane) => [
    `reviewer lane ${lane.slug}: sends your plans to a program`,
    `  runs ${[lane.binary, ...lane.args].map(quoteArgument).join(' ')}`,
    ...bodyLines(lane.body),
  ],
  'lane-http': (lane) => [
    `reviewer lane ${lane.slug}: sends your plans over the network`,
    `  to ${lane.host ?? 'the host you configure'}${lane.hostConfigKey === null ? '' : `, or the host in ${lane.hostConfigKey}`}`,
    ...bodyLines(lane.body),
  ],
  'skill-script': ({ script, executable, sha512 }) => [
    `script ${formatFileName(script)}${executable ? ', executable' : ''}: an agent can be told to run it`,
    ...hash(sha512),
  ],
}

/** The rest of a lane's body: its probe, and what else shapes the call. */
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
/** A word of a command, quoted if it could be misread. */
const quoteArgument = (word: string): string => (/^[\w./:@%+=,{}-]+$/.test(word) ? word : JSON.stringify(word))

/** The difference from what was trusted before, as lines: what it runs first, then its files. */
export const differenceLines = ({ from, surfaces, files }: Difference): readonly string[] => {
  const lines = [
    ...surfaces.came.map((surface) => `new: ${surfaceName(surface)}`),
    ...surfaces.went.map((surface) => `removed: ${surfaceName(surface)}`),
    ...surfaces.changed.flatMap(changedLines),
    ...fileLine('new files', files.added),
    ...fileLine('removed files', files.removed),
    ...fileLine('changed files', files.changed),
  ]
  return lines.length === 0
    ? [`the same as ${from}, which you trusted before`]
    : [`differs from ${from}, which you trusted before:`, ...lines.map((line) => `  ${line}`)]
}

const changedLines = ({ surface, members }: ChangedSurface): string[] => [
  `changed: ${surface}`,
  ...members.map(({ member, before, after }) => `  ${member}: ${valueShown(before)} → ${valueShown(after)}`),
]

const MAX_HASH_LENGTH = 16

const valueShown = (value: unknown): string => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'string' && /^[0-9a-f]{128}$/.test(value)) return `${value.slice(0, MAX_HASH_LENGTH)}…`
  return JSON.stringify(value)
}

const MAX_PATHS = 20

const fileLine = (what: string, paths: readonly string[]): string[] => {
  if (paths.length === 0) return []
  const more = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : ''
  return [`${what}: ${paths.slice(0, MAX_PATHS).map(formatFileName).join(', ')}${more}`]
}

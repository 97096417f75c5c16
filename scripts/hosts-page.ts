import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RUNTIMES } from '../src/host/runtimes/built-in-runtimes.ts'
import { describeRuntime } from '../src/host/runtimes/described-runtime.ts'
import type { ConfigHome, HostRuntime } from '../src/host/runtimes/runtime.ts'
import type { RuntimeBody, RuntimeManifest } from '../src/manifest/manifest.ts'
import { code, page, table } from './markdown.ts'

const CAPABILITIES = join(import.meta.dirname, '../capabilities')

/** `docs/reference/hosts.md`: every host runtime, with what is written where, and how sure that is. */
export const hostsPage = (): string =>
  page([
    '# Host runtimes',
    'The coding agents that `--runtime` names, generated from what the program knows of each. `<home>` is the ' +
      'configuration folder of the host; `<id>` is the capability, `<event>` the event of the host.',
    table(
      ['Id', 'Host', '`<home>`', 'Moved by'],
      RUNTIMES.map(({ id, title, configHome }) => [code(id), title, homeOf(configHome), movedBy(configHome)]),
    ),
    '## Hooks',
    table(
      ['Id', 'Form', 'File for the global scope', 'File for a project', 'Also read'],
      RUNTIMES.filter(isWired).map(({ id, surface, files, hooksHome, moreFiles = [] }) => [
        code(id),
        code(surface),
        place(files.global?.replace('<hooks-home>', hooksHome === undefined ? '<home>' : plainHome(hooksHome)) ?? null),
        place(files.project),
        moreFiles.map(code).join(', '),
      ]),
    ),
    'A file that does not exist is created, and deleted again with the last hook. Everything else in it stays as it is ' +
      '([how](../explanation/settings-files.md)). A hook that you move to another file of the same host is found there.',
    '### Hosts without hooks',
    'For one of these no hook is written, and the installation says so.',
    table(
      ['Id', 'Host', 'Why'],
      RUNTIMES.filter((runtime) => !isWired(runtime)).map(({ id, title, noSurfaceReason }) => [
        code(id),
        title,
        noSurfaceReason ?? '',
      ]),
    ),
    '### Events',
    'A capability names events as Claude Code does; where a host has another name for one, that name is written. An event that a ' +
      'named host does not have refuses the whole installation.',
    table(
      ['Id', 'Events', 'Other names'],
      RUNTIMES.filter(isWired).map(({ id, events, claudeEvents }) => [
        code(id),
        events.join(', '),
        Object.entries(claudeEvents)
          .map(([from, to]) => `${from} → ${[to].flat().join(', ')}`)
          .join('; '),
      ]),
    ),
    '### Matchers and times',
    'Times are in seconds in a manifest, and are converted. A hook with a matcher is not wired into a host that has none, where it ' +
      'would run on everything.',
    table(
      ['Id', 'Matcher', 'Unit of time', 'Refuses a file with', 'Also reads the hooks of'],
      RUNTIMES.filter(isWired).map(({ id, matcher, timeout, rejectedSyntax, rootMembers, alsoReads }) => [
        code(id),
        matcher === null ? 'none' : `${matcher === 'rust' ? 'Rust' : 'JavaScript'} expression`,
        timeout === null ? 'no time limit' : timeout.unit + (timeout.wholeNumber ? ', whole' : ''),
        [
          ...rejectedSyntax,
          ...(rootMembers === undefined ? [] : [`members other than ${rootMembers.map(code).join(', ')}`]),
        ].join(', '),
        alsoReads.map(code).join(', '),
      ]),
    ),
    '## MCP servers',
    'Other hosts get no servers, and the installation says so: no place is known for sure.',
    table(
      ['Id', 'File for the global scope', 'File for a project', 'Servers over the network'],
      RUNTIMES.flatMap(({ id, mcp }) =>
        mcp === undefined
          ? []
          : [[code(id), place(mcpPlace(mcp.files.global)), place(mcp.files.project), REMOTE[mcp.form]]],
      ),
    ),
    '## Skills, agents and commands',
    'Each file is made from one of the capability, with the prefix in front of its name, unless it has that already. A host that ' +
      'takes commands and no skills gets skills as commands. `<home>` is that of the host unless another folder is named.',
    table(
      ['Id', 'For the global scope', 'For a project'],
      RUNTIMES.map(({ id }) => [code(id), ...layoutOf(id)]),
    ),
    '## How sure this is',
    table(
      ['Id', 'Known from', 'Tested version'],
      RUNTIMES.map(({ id, confidence }) => [code(id), confidence.evidence, confidence.observed ?? 'no']),
    ),
    'A host that is not here can be [added by a capability](../how-to/add-a-host-runtime.md).',
  ])

const isWired = ({ surface }: HostRuntime): boolean => surface !== 'none'

const place = (file: string | null): string => (file === null ? 'none' : code(file))

/** The user file of Claude Code lies in the home itself, unless a variable moves both. */
const mcpPlace = (file: string | null): string | null => file?.replace('<mcp-home>', '~') ?? null

const REMOTE = {
  claude: 'http, sse',
  cursor: 'http, sse',
  codex: 'http',
  trae: 'none',
} as const

const homeOf = (home: ConfigHome): string => {
  switch (home.kind) {
    case 'dot-home':
      return code(`~/${home.name}`)
    case 'dot-home-nested':
      return (home.probe ?? [home.name]).map((name) => code(`~/${home.parent}/${name}`)).join(', ')
    case 'xdg':
      return code(`~/.config/${home.name}`)
    case 'generic-agents-root':
      return home.probe.map(code).join(', ')
    case 'none':
      return 'none'
  }
}

/** Without what may move it. */
const plainHome = (home: ConfigHome): string => homeOf(home).replaceAll('`', '')

const movedBy = (home: ConfigHome): string => (home.kind === 'none' ? '' : home.env.map(code).join(', '))

/** What the host's manifest says is placed, globally and in a project. */
const layoutOf = (id: string): string[] => {
  const { artifactLayout, configHome, localConfigDir } = readManifest(id).runtime
  const skillsHome = configHome.skillsHome == null ? '<home>' : `~/${configHome.skillsHome.name ?? ''}`
  const local = `<project>/${localConfigDir ?? ''}`
  return [rows(artifactLayout.global, '<home>', skillsHome), rows(artifactLayout.local, local, local)]
}

const readManifest = (id: string): RuntimeManifest =>
  JSON.parse(readFileSync(join(CAPABILITIES, id, 'capability.json'), 'utf8')) as RuntimeManifest

/**
 * `first-party-hosts.json`: the facts of the built-in hosts that their manifests give, so that the program reads no
 * manifest to know them. One host a line.
 */
export const firstPartyHosts = (): string => {
  const manifests = readdirSync(CAPABILITIES).toSorted().map(readManifest)
  const hosts = manifests.filter(({ role }) => role === 'runtime').map(describeRuntime)
  return `[\n${hosts.map((host) => `  ${JSON.stringify(host)}`).join(',\n')}\n]\n`
}

const rows = (items: RuntimeBody['artifactLayout']['global'], base: string, skills: string): string =>
  items
    .map(({ kind, home, destSubpath, prefix }) => {
      const root = home == null ? (kind === 'skills' ? skills : base) : `~/${home}`
      return kind === 'kimi-agents' ? 'agents: no writer yet' : `${kind}: ${code(`${root}/${destSubpath}/${prefix}…`)}`
    })
    .join('<br>') || 'none'

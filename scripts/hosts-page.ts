import { RUNTIMES } from '../src/host/runtimes/table.ts'
import type { HostRuntime } from '../src/host/runtimes/runtime.ts'
import { code, page, table } from './markdown.ts'

/** `docs/reference/hosts.md`: every host runtime, with the file its hooks go into. */
export const hostsPage = (): string =>
  page([
    '# Host runtimes',
    'The coding agents that `--runtime` names, made from what the program knows of each (`npm run generate`). `<home>` is the ' +
      'configuration folder of the host, which environment variables of the host can move; `<id>` is the capability.',
    table(
      ['Id', 'Host', 'File for the global scope', 'File for a project'],
      RUNTIMES.filter(isWired).map(({ id, title, files }) => [
        code(id),
        title,
        place(files.global),
        place(files.project),
      ]),
    ),
    'A file that does not exist is made, and deleted again when the last hook leaves it. Everything else in it stays as it is ' +
      '([how](../explanation/settings-files.md)).',
    '## Hosts without hooks',
    'Naming one of these installs the capability and says that nothing was wired.',
    table(
      ['Id', 'Host', 'Why'],
      RUNTIMES.filter((runtime) => !isWired(runtime)).map(({ id, title, noSurface }) => [
        code(id),
        title,
        noSurface ?? '',
      ]),
    ),
    '## Events',
    'A capability names events as Claude Code does; where a host has another name for one, that is written. An event that a ' +
      'named host does not have refuses the whole installation.',
    table(
      ['Id', 'Events', 'Named otherwise'],
      RUNTIMES.filter(isWired).map(({ id, events, fromClaude }) => [
        code(id),
        events.join(', '),
        Object.entries(fromClaude)
          .map(([from, to]) => `${from} → ${[to].flat().join(', ')}`)
          .join('; '),
      ]),
    ),
    '## How sure this is',
    table(
      ['Id', 'Known from', 'Seen at work'],
      RUNTIMES.map(({ id, sure }) => [code(id), sure.evidence, sure.observed ?? 'no']),
    ),
  ])

const isWired = ({ surface }: HostRuntime): boolean => surface !== 'none'

const place = (file: string | null): string => (file === null ? 'none' : code(file))

import { join } from 'node:path'

/** What the bundler tells of its modules. */
interface Graph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

const SRC = join(import.meta.dirname, '../src')

const command = (name: string): string => `cli/commands/${name}.ts`

/**
 * The files that the program is bundled into, the first that fits. Each file costs about one part in a hundred of a bare
 * start, and so do thirty kilobytes of code, so there are few, parted where the ways of the commands part.
 */
const FILES: readonly (readonly [name: string, entries: readonly string[]])[] = [
  ['frame', ['cli/main.ts']],
  [
    'load',
    ['cli/make-context.ts', 'overlay/load-registry.ts', 'transaction/unfinished-scopes.ts', 'cli/commands/list.ts'],
  ],
  ['consent', ['cli/consent-prompt.ts', 'cli/view/plan-lines.ts', 'cli/view/code-text.ts']],
  ['store', ['state/ledger.ts', 'state/grants.ts', 'state/switches.ts', 'bundle/hash-tree.ts', 'bundle/digest.ts']],
  ['loop', ['cli/commands/loop/open-loop.ts', 'loop/envelope.ts', 'loop/point-rows.ts', 'cli/view/raw-json.ts']],
  [
    'skills',
    [
      'index/open-index',
      'turn/plan-turn',
      'turn/resolve-mention',
      'bodies/read-skills',
      'bodies/label-untrusted',
      'search/search-skills',
    ].map((name) => `skills/${name}.ts`),
  ],
  ['mcp', ['mcp/serve.ts']],
  ['judge', ['overlay/read-registry.ts']],
  ['change', ['operation/remove.ts']],
  ['install', ['operation/install.ts']],
  ['git', ['fetch/git/fetch-git.ts']],
  ['http', ['platform/http/get.ts', 'fetch/download.ts']],
  ['npm', ['fetch/npm/fetch-npm.ts', 'fetch/npm/npm-versions.ts']],
  ['loop-commands', ['loop/render', 'loop/gate', 'loop/check', 'capability-state', 'config'].map(command)],
  ['skills-commands', ['skills/resolve', 'skills/search', 'skills/show', 'mcp/serve'].map(command)],
  ['change-commands', ['install', 'remove'].map(command)],
  ['all-commands', ['cli/parse-command-line.ts', 'cli/help.ts']],
]

/** Groups for the bundler's `codeSplitting`. */
export const CHUNKS = [
  { name: 'rolldown-runtime', test: /rolldown.runtime/, priority: FILES.length + 1 },
  { name: 'prompts', test: /node_modules.@clack/, priority: 0 },
  ...FILES.map(([name, entries], at) => ({
    name: (id: string, graph: Graph) => (reachedFrom(entries, graph).has(id) ? name : null),
    priority: FILES.length - at,
  })),
]

const reached = new Map<string, ReadonlySet<string>>()

/** Modules that are there as soon as these are: by static imports only. */
const reachedFrom = (entries: readonly string[], graph: Graph): ReadonlySet<string> => {
  const key = entries.join()
  const known = reached.get(key)
  if (known !== undefined) return known
  const found = new Set<string>()
  const waiting = entries.map((entry) => join(SRC, entry))
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (found.has(id)) continue
    found.add(id)
    waiting.push(...(graph.getModuleInfo(id)?.importedIds ?? []))
  }
  reached.set(key, found)
  return found
}

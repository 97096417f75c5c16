import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { applyHostEdit, undoHostEdit } from '../../src/host/edit/apply-edit.ts'
import type { HostEntry, HostServer, SurfaceKind } from '../../src/state/host-edit.ts'
import { hookOf, planAndApply, type HostState } from '../helpers/host-edits.ts'
import { fc } from '../helpers/property.ts'

const RUNS = { numRuns: 100 }

/** A form of host file: the user's texts, and how the host parses a text; null if it refuses it. */
interface Host {
  readonly runtime: string
  readonly text: fc.Arbitrary<string | null>
  readonly read: (text: string) => readonly string[] | null
  readonly entry: (id: string, name: string, n: number) => HostEntry
}

const EVENTS = ['one', 'two', 'three']

const word = fc.constantFrom('a', 'é"\\', '$x', '', '\u2028', 'x y')
const json: fc.Arbitrary<unknown> = fc.oneof(word, fc.integer(), fc.constantFrom(null, true, 1e21, [], {}, [[]]))

/** Any format of a strict JSON value. */
const laidOut = (value: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(value, fc.constantFrom(0, 2, 4, '\t', 1), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n', ' \n\n'))
    .map(([all, indent, eol, end]) => (JSON.stringify(all, null, indent) + end).replaceAll('\n', eol))

const objectOf = (value: fc.Arbitrary<unknown>, keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), value), { selector: ([key]) => key, maxLength: 3 })
    .map((all) => Object.fromEntries(all))

const theirs = fc.constantFrom('mine', "'/elsewhere/run.sh'", 'node "x y.js"')
const flat = fc.record({ command: theirs }, { requiredKeys: ['command'] })
const typed = theirs.map((command) => ({ type: 'command', command }))
const grouped = fc.record(
  { matcher: fc.constantFrom('Bash', 'é|x'), hooks: fc.array(typed, { maxLength: 2 }) },
  { requiredKeys: ['hooks'] },
)

const hooksIn = (item: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> =>
  objectOf(fc.array(item, { maxLength: 2 }), [...EVENTS, 'four'])

const rootWith = (
  key: string,
  value: fc.Arbitrary<unknown>,
  others: fc.Arbitrary<Record<string, unknown>>,
  always: Record<string, unknown> = {},
): fc.Arbitrary<string | null> =>
  fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(null, '', '\n', '{}') },
    {
      weight: 6,
      arbitrary: laidOut(
        fc
          .tuple(others, fc.option(value, { nil: undefined }), fc.boolean())
          .map(([rest, own, first]) =>
            own === undefined
              ? { ...always, ...rest }
              : first
                ? { [key]: own, ...always, ...rest }
                : { ...rest, ...always, [key]: own },
          ),
      ),
    },
  )

/** Parses as a strict host does: a wrong type anywhere on the path refuses the whole file. */
const commandsOf =
  (form: 'grouped' | 'flat', rule: (root: Record<string, unknown>) => boolean = () => true) =>
  (text: string): string[] | null => {
    if (text.trim() === '') return []
    const root = parsed(text)
    if (root === null || !rule(root)) return null
    const events = root['hooks'] ?? {}
    if (typeof events !== 'object' || Array.isArray(events)) return null
    const found: string[] = []
    for (const [event, items] of Object.entries(events as Record<string, unknown>)) {
      if (!Array.isArray(items)) return null
      for (const item of items as { command?: unknown; hooks?: unknown; matcher?: unknown; type?: unknown }[]) {
        const handlers = form === 'flat' ? [item] : item.hooks
        if (!Array.isArray(handlers)) return null
        for (const handler of handlers as { command?: unknown; type?: unknown }[]) {
          if (typeof handler.command !== 'string' || (form === 'grouped' && handler.type !== 'command')) return null
          found.push(`${event} ${String(item.matcher)} ${handler.command}`)
        }
      }
    }
    return found
  }

const parsed = (text: string): Record<string, unknown> | null => {
  try {
    const root: unknown = JSON.parse(text)
    return typeof root === 'object' && root !== null && !Array.isArray(root) ? (root as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const hook = (id: string, event: string, n: number): HostEntry =>
  hookOf(id, event, { ...(n % 2 === 0 ? { matcher: 'Bash|é' } : {}), ...(n > 3 ? { timeout: n } : {}) })
const plainHook = (id: string, event: string): HostEntry => hookOf(id, event)

const server = (id: string, name: string, n: number): HostServer => ({
  kind: 'server',
  name: `${id}-${name}`,
  value:
    n % 2 === 0 ? { command: `/gsd/${id}/run`, args: [`${n}`, 'é"\\'] } : { command: 'npx', env: { 'A.B': `${n}` } },
  folder: n % 2 === 0 ? `/gsd/${id}` : null,
})

const rest = objectOf(json, ['model', 'env', 'constructor'])

const TOML_PIECES = [
  '# note\n',
  '\n',
  '[t]\nb = "#"\n',
  '[[hooks]]\nevent = "Stop"\ncommand = "mine"\n',
  '[mcp_servers.mine]\ncommand = "mine" # mine\n',
  '[mcp_servers.mine2.env]\nA = "1"\n',
  '[t2]\nx = """\n[mcp_servers.a-one]\n[[hooks]]\n"""\n',
]
const toml: fc.Arbitrary<string | null> = fc.oneof(
  fc.constantFrom(null, ''),
  fc
    .tuple(fc.shuffledSubarray(TOML_PIECES), fc.constantFrom('\n', '\r\n'), fc.boolean(), fc.boolean())
    .map(([pieces, eol, final, key]) => {
      const text = (key ? 'root = 1\n' : '') + pieces.join('')
      return (final ? text : text.trimEnd()).replaceAll('\n', eol)
    }),
)
const tomlTable = (text: string): Record<string, unknown> | null => {
  try {
    return parse(text)
  } catch {
    return null
  }
}

const namesIn = (servers: unknown): string[] =>
  typeof servers === 'object' && servers !== null
    ? Object.entries(servers).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    : []

const HOSTS: Readonly<Partial<Record<SurfaceKind, Host>>> = {
  'settings-json': {
    runtime: 'claude',
    text: rootWith('hooks', hooksIn(grouped), rest),
    read: commandsOf('grouped'),
    entry: hook,
  },
  'codex-hooks-json': {
    runtime: 'codex',
    text: rootWith('hooks', hooksIn(grouped), objectOf(word, ['description'])),
    read: commandsOf('grouped', (root) => Object.keys(root).every((key) => ['hooks', 'description'].includes(key))),
    entry: hook,
  },
  'cursor-hooks-json': {
    runtime: 'cursor',
    text: rootWith('hooks', hooksIn(flat), rest, { version: 1 }),
    read: commandsOf('flat', (root) => root['version'] === 1 || Object.keys(root['hooks'] ?? {}).length === 0),
    entry: hook,
  },
  'windsurf-hooks-json': {
    runtime: 'windsurf',
    text: rootWith('hooks', hooksIn(flat), rest),
    read: commandsOf('flat'),
    entry: plainHook,
  },
  'kimi-hooks-toml': {
    runtime: 'kimi-code',
    text: toml,
    read: (text) => {
      const hooks = tomlTable(text)?.['hooks'] ?? []
      return Array.isArray(hooks) ? hooks.map((each) => JSON.stringify(each)) : null
    },
    entry: hook,
  },
  'mcp-servers-json': {
    runtime: 'cursor',
    text: rootWith('mcpServers', objectOf(fc.record({ command: theirs }), ['mine', 'mine2', 'é']), rest),
    read: (text) => (text.trim() === '' ? [] : namesIn(parsed(text)?.['mcpServers'])),
    entry: server,
  },
  'opencode-mcp-json': {
    runtime: 'opencode',
    text: rootWith('mcp', objectOf(fc.record({ command: theirs }), ['mine', 'mine2', 'é']), rest),
    read: (text) => (text.trim() === '' ? [] : namesIn(parsed(text)?.['mcp'])),
    entry: server,
  },
  'mcp-servers-toml': {
    runtime: 'codex',
    text: toml,
    read: (text) => {
      const table = tomlTable(text)
      return table === null ? null : namesIn(table['mcp_servers'])
    },
    entry: server,
  },
}

const IDS = ['a', 'b', 'c']
const sets = fc.tuple(
  ...IDS.map(() =>
    fc.uniqueArray(fc.tuple(fc.constantFrom(...EVENTS), fc.nat({ max: 5 })), {
      minLength: 1,
      maxLength: 3,
      selector: ([event]) => event,
    }),
  ),
)
/** Any order of installs and removals of three, with none left at the end. */
const orders = fc
  .shuffledSubarray([...IDS, ...IDS, ...IDS, ...IDS], { minLength: 2 })
  .map((order) => order.concat(IDS.filter((id) => order.filter((each) => each === id).length % 2 === 1)))

describe.each(Object.entries(HOSTS))('%s', (kind, { runtime, text, read, entry }) => {
  const surface = kind as SurfaceKind

  it("is read by its host after every step, keeps the user's content, and is restored byte for byte", () => {
    fc.assert(
      fc.property(text, orders, sets, (before, order, wanted) => {
        const entries = new Map(
          IDS.map((id, index) => [id, (wanted[index] ?? []).map(([event, n]) => entry(id, event, n))]),
        )
        const own = read(before ?? '')
        fc.pre(own !== null)
        let state: HostState = { text: before, record: null }
        const present = new Set<string>()
        for (const id of order) {
          const mine = entries.get(id) ?? []
          const installed = present.delete(id)
          if (!installed) present.add(id)
          const change = installed ? { remove: mine } : { add: mine }
          const next = planAndApply(state, { id, surface, runtime, ...change })
          const seen = read(next.text ?? '')
          expect(seen).not.toBeNull()
          const ours = [...present].flatMap((each) => entries.get(each) ?? []).length
          expect(seen).toHaveLength((own?.length ?? 0) + ours)
          expect(seen).toEqual(expect.arrayContaining([...(own ?? [])]))
          expect(undoHostEdit(next.text, next.edit)).toBe(state.text)
          expect(applyHostEdit(next.text, next.edit)).toBe(next.text)
          state = next
        }
        expect(state).toMatchObject({ text: before, record: null })
      }),
      RUNS,
    )
  })

  it('contains each entry once, however often it is installed, and after an update', () => {
    fc.assert(
      fc.property(text, sets, (before, [first = [], second = []]) => {
        const [old, fresh] = [first, second].map((set) => set.map(([event, n]) => entry('a', event, n)))
        const one = planAndApply({ text: before, record: null }, { id: 'a', surface, runtime, add: old ?? [] })
        const again = planAndApply(one, { id: 'a', surface, runtime, add: old ?? [], remove: old ?? [] })
        expect(again.text).toBe(one.text)
        const next = planAndApply(again, { id: 'a', surface, runtime, add: fresh ?? [], remove: old ?? [] })
        expect(read(next.text ?? '')).toHaveLength((read(before ?? '')?.length ?? 0) + (fresh?.length ?? 0))
        expect(planAndApply(next, { id: 'a', surface, runtime, remove: fresh ?? [] }).text).toBe(before)
      }),
      RUNS,
    )
  })
})

import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { applyHostEdit, undoHostEdit } from '../../../src/host/edit/apply-edit.ts'
import { hostServers } from '../../../src/host/hooks/host-servers.ts'
import { requireBuiltInRuntime } from '../../../src/host/runtimes/known-hosts.ts'
import type { McpConfig, HostRuntime } from '../../../src/host/runtimes/runtime.ts'
import type { McpServer } from '../../../src/manifest/manifest.ts'
import type { HostServer } from '../../../src/state/host-edit.ts'
import { capabilityWith } from '../../helpers/feature-manifest.ts'
import { planAndApply, type HostState, type HostEditResult } from '../../helpers/host-edits.ts'
import { codeOf, thrownBy } from '../../helpers/thrown.ts'

const DIR = '/home/u/.gsd/capabilities/guard'
const FILES = [
  { path: 'bin/serve', executable: true },
  { path: 'bin/serve.js', executable: false },
  { path: 'bin/serve.txt', executable: false },
]

const reads = (id: string): HostRuntime & { readonly mcp: McpConfig } => {
  const runtime = requireBuiltInRuntime(id)
  if (runtime.mcp === undefined) throw new Error(id)
  return { ...runtime, mcp: runtime.mcp }
}

const serversIn = (runtime: string, mcpServers: Readonly<Record<string, McpServer>>): readonly HostServer[] =>
  hostServers(capabilityWith('guard', [], { mcpServers }), reads(runtime), { dir: DIR, files: FILES }).servers

const valueIn = (runtime: string, server: McpServer): unknown => serversIn(runtime, { one: server })[0]?.value

describe('an MCP server of a capability', () => {
  it('runs a program by its bare name, with arguments and environment as declared', () => {
    const server = { command: 'npx', args: ['-y', 'x'], env: { A: 'b' } }
    for (const runtime of ['claude', 'cursor', 'codex', 'trae']) expect(valueIn(runtime, server)).toEqual(server)
  })

  it('runs a file of the bundle by its absolute path, with an interpreter unless it is executable', () => {
    expect(valueIn('claude', { command: './bin/serve', args: ['--a'] })).toEqual({
      command: `${DIR}/bin/serve`,
      args: ['--a'],
    })
    expect(valueIn('claude', { command: 'bin/serve.js', args: ['--a'] })).toEqual({
      command: 'node',
      args: [`${DIR}/bin/serve.js`, '--a'],
    })
    expect(codeOf(() => valueIn('claude', { command: 'bin/serve.txt' }))).toBe('HOST_SCRIPT')
    expect(codeOf(() => valueIn('claude', { command: 'bin/none' }))).toBe('HOST_SCRIPT')
  })

  it.each(['../x', '/etc/x', 'bin/../../x', '..'])('is refused for a path outside the bundle: %s', (path) => {
    expect(codeOf(() => valueIn('claude', { command: path.includes('/') ? path : './..' }))).toBe('HOST_SCRIPT')
    expect(codeOf(() => valueIn('claude', { command: 'npx', cwd: path }))).toBe('HOST_SCRIPT')
  })

  it('has a working folder inside the bundle', () => {
    expect(valueIn('codex', { command: 'npx', cwd: '.' })).toEqual({ command: 'npx', cwd: DIR })
    expect(valueIn('codex', { command: 'npx', cwd: './bin/' })).toEqual({ command: 'npx', cwd: `${DIR}/bin` })
  })

  it('uses the network form of each host, or is left out', () => {
    const server = { type: 'http', url: 'https://example.org/mcp', headers: { A: 'b' } } as const
    expect(valueIn('claude', server)).toEqual(server)
    expect(valueIn('cursor', server)).toEqual({ url: server.url, headers: { A: 'b' } })
    expect(valueIn('codex', server)).toEqual({ url: server.url, http_headers: { A: 'b' } })
    for (const [runtime, far] of [['trae', server] as const, ['codex', { ...server, type: 'sse' }] as const])
      expect(
        hostServers(capabilityWith('guard', [], { mcpServers: { far } }), reads(runtime), { dir: DIR, files: FILES }),
      ).toMatchObject({ servers: [], leftOut: [{ code: 'HOST_UNSUPPORTED', details: { server: 'far' } }] })
  })
})

const own = (name: string, value: HostServer['value'] = { command: `${DIR}/bin/serve` }): HostServer => ({
  kind: 'server',
  name,
  value,
  folder: DIR,
})
const bare = (name: string): HostServer => ({
  kind: 'server',
  name,
  value: { command: 'npx', args: ['a'] },
  folder: null,
})

const HOSTS = [
  ['mcp-servers-json', 'claude', '{\n  "mcpServers": {\n    "mine": { "command": "mine" }\n  }\n}\n'],
  ['mcp-servers-toml', 'codex', 'model = "x"\n\n[mcp_servers.mine] # mine\ncommand = "mine"\n'],
] as const

describe.each(HOSTS)('%s', (surface, runtime, text) => {
  const fresh: HostState = { text, record: null }
  const put = (state: HostState, add: readonly HostServer[], id = 'guard'): HostEditResult =>
    planAndApply(state, { id, add, surface, runtime })
  const take = (state: HostState, remove: readonly HostServer[], id = 'guard'): HostEditResult =>
    planAndApply(state, { id, remove, surface, runtime })
  const names = (now: string | null): string[] => {
    const parsed = (surface === 'mcp-servers-json' ? JSON.parse(now ?? '{}') : parse(now ?? '')) as Record<
      string,
      object
    >
    return Object.keys(parsed['mcpServers'] ?? parsed['mcp_servers'] ?? {})
  }

  it('adds servers and removes them byte for byte, in any order', () => {
    const one = put(fresh, [own('a'), bare('b')])
    expect(names(one.text)).toEqual(['mine', 'a', 'b'])
    const two = put(one, [bare('c')], 'other')
    const less = take(two, [own('a'), bare('b')])
    expect(names(less.text)).toEqual(['mine', 'c'])
    expect(take(less, [bare('c')], 'other').text).toBe(text)
    for (const edited of [one, two, less]) {
      expect(applyHostEdit(edited.text, edited.edit)).toBe(edited.text)
    }
    expect(undoHostEdit(two.text, two.edit)).toBe(one.text)
  })

  it('restores an absent, an empty and a blank file', () => {
    for (const start of [null, '', '\n']) {
      expect(take(put({ text: start, record: null }, [own('a')]), [own('a')]).text).toBe(start)
    }
  })

  it('replaces a server in place', () => {
    const before = put(fresh, [own('a')])
    const value = { command: `${DIR}/bin/serve`, args: ['new'] }
    const next = planAndApply(before, { id: 'guard', remove: [own('a')], add: [own('a', value)], surface, runtime })
    expect(names(next.text)).toEqual(['mine', 'a'])
    expect(next.text).toContain('new')
    expect(take(next, [own('a', value)]).text).toBe(text)
  })

  it('is refused for a name that the user has, with line and column', () => {
    const error = thrownBy(() => put(fresh, [own('mine')]))
    expect(error.code).toBe('HOST_SERVER_NAME')
    expect(error.details).toMatchObject({ line: 3 })
  })

  it('is refused for a name that another capability has', () => {
    expect(codeOf(() => put(put(fresh, [own('a')]), [bare('a')], 'other'))).toBe('HOST_SERVER_NAME')
  })

  it('removes a server of ours that was edited or renamed, and reports it', () => {
    const installed = put(fresh, [own('a')])
    const edited = (installed.text ?? '').replace(`${DIR}/bin/serve`, `${DIR}/bin/serve2`)
    const removed = take({ ...installed, text: edited }, [own('a')])
    expect(removed.text).toBe(text)
    expect(removed.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
    const renamed = (installed.text ?? '').replace('"a"', '"z"').replace('.a]', '.z]')
    expect(take({ ...installed, text: renamed }, [own('a')]).text).toBe(text)
    expect(put({ ...installed, text: renamed }, [own('a')]).text).toBe(renamed)
  })

  it('leaves a server that the user put in place of ours, and reports it', () => {
    const installed = put(fresh, [own('a')])
    const theirs = (installed.text ?? '').replace(`${DIR}/bin/serve`, 'theirs')
    const removed = take({ ...installed, text: theirs }, [own('a')])
    expect(removed.text).toBe(theirs)
    expect(removed.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
  })

  it('can be finished and undone on a text that was edited meanwhile', () => {
    const installed = put(fresh, [own('a')])
    const comment = surface === 'mcp-servers-json' ? '\n// typed' : '\n# typed'
    expect(undoHostEdit(`${installed.text ?? ''}${comment}`, installed.edit)).toBe(`${text}${comment}`)
    expect(
      names(applyHostEdit(text.replace('"mine" }', '"typed" }').replace('"mine"\n', '"typed"\n'), installed.edit)),
    ).toEqual(['mine', 'a'])
  })
})

describe('a TOML file', () => {
  const add = (text: string, server = own('a')): HostEditResult =>
    planAndApply({ text, record: null }, { id: 'guard', add: [server], surface: 'mcp-servers-toml', runtime: 'codex' })

  it.each([
    'mcp_servers = { mine = { command = "m" } }\n',
    'mcp_servers.mine.command = "m"\n',
    '"mcp_ser\\u0076ers".mine.command = "m"\n',
    'mcp_servers = "m"\n',
    'mcp_servers = []\n',
    '[[mcp_servers]]\nname = "mine"\n',
  ])('whose servers have another form is refused, with its position: %s', (text) => {
    const error = thrownBy(() => add(`a = 1\n${text}`))
    expect(error).toMatchObject({ code: 'HOST_SETTINGS_SHAPE', details: { line: 2, column: 1 } })
  })

  it.each([
    ['[mcp_servers]\na = { command = "m" }\n', 2],
    ['[mcp_servers]\nb = { command = "m" }\n"\\u0061".command = "m"\n', 3],
    ['[ui]\nz = 1\n[mcp_servers."a"]\ncommand = "m"\n', 3],
    ['mcp_servers = { b = {}, a = {} }\n', 1],
  ])('in which the user has the name is refused, with the line: %s', (text, line) => {
    expect(thrownBy(() => add(text))).toMatchObject({ code: 'HOST_SERVER_NAME', details: { line } })
  })

  it('with comments and links in it causes no warning', () => {
    const { warnings } = add("# mine\nurl = 'https://example.org' # //\n")
    expect(warnings).toEqual([])
  })

  it('with a broken fence is refused', () => {
    expect(codeOf(() => add('# >>> gsd capability guard >>>\na = 1\n'))).toBe('HOST_SETTINGS_SHAPE')
  })

  it('has the values of the server, special characters included', () => {
    const value = { command: '/a "b"\\c', args: ['é\n', ''], env: { 'A.B': '$x', __proto__x: '1' } }
    expect(parse(add('', own('a', value)).text ?? '')).toEqual({ mcp_servers: { a: value } })
  })

  it("keeps the user's servers with quoted and nested tables", () => {
    const text = '[mcp_servers."a.b"]\ncommand = "m"\n[mcp_servers."a.b".env]\nX = "1"\n[ui]\nz = 1\n'
    const installed = add(text)
    const removed = planAndApply(installed, {
      id: 'guard',
      remove: [own('a')],
      surface: 'mcp-servers-toml',
      runtime: 'codex',
    })
    expect(removed.text).toBe(text)
  })
})

describe('a JSON file', () => {
  it.each(['{"mcpServers": []}', '{"mcpServers": null}', '[]', '{"mcpServers": {}, "mcpServers": {}}'])(
    'with another value in place of the servers is refused: %s',
    (text) => {
      const state = { text, record: null }
      expect(
        codeOf(() =>
          planAndApply(state, { id: 'guard', add: [own('a')], surface: 'mcp-servers-json', runtime: 'claude' }),
        ),
      ).toBe('HOST_SETTINGS_SHAPE')
    },
  )
})

describe('a settings file with hooks and servers', () => {
  const hook = { event: 'Stop', command: '/b/run.sh', script: '/b/run.sh' }
  const one = { kind: 'server', name: 'one', value: { command: '/b/serve' }, folder: '/b' } as const
  const settings = (text: string | null) => ({ text, record: null })
  const MINE =
    '{\n  // mine\n  "mcpServers": { "one2": { "command": "x" } },\n  "hooks": { "Stop": [{ "hooks": [] }] }\n}\n'

  it.each([null, '', '{}\n', '{ "theme": "dark" }', MINE])(
    'gets both, and is restored byte for byte in either order: %j',
    (text) => {
      const request = { id: 'guard', surface: 'settings-json', runtime: 'qwen' } as const
      const both = planAndApply(settings(text), { ...request, add: [hook, one] })
      expect(both.text).toContain('"one"')
      expect(both.text).toContain('/b/run.sh')
      expect(planAndApply(both, { ...request, remove: [hook, one] }).text).toBe(text)
      for (const [first, second] of [
        [hook, one],
        [one, hook],
      ] as const) {
        const half = planAndApply(both, { ...request, remove: [first] })
        expect(half.text?.includes('/b/serve')).toBe(first === hook)
        expect(planAndApply(half, { ...request, remove: [second] }).text).toBe(text)
      }
    },
  )
})

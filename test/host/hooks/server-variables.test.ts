import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostServers } from '../../../src/host/hooks/host-servers.ts'
import { RUNTIMES } from '../../../src/host/runtimes/built-in-runtimes.ts'
import { requireBuiltInRuntime } from '../../../src/host/runtimes/known-hosts.ts'
import type { McpServer } from '../../../src/manifest/manifest.ts'
import { capabilityWith } from '../../helpers/feature-manifest.ts'
import { useScratch } from '../../helpers/scratch.ts'

const scratch = useScratch()
/** With the Node that runs the tests in front. */
const PATH = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`

const inHost = (id: string, server: McpServer, dir = '/b') => {
  const runtime = requireBuiltInRuntime(id)
  if (runtime.mcp === undefined) throw new Error(`${id} has no servers`)
  const manifest = capabilityWith('guard', [], { mcpServers: { one: server } })
  const { servers, leftOut } = hostServers(manifest, { ...runtime, mcp: runtime.mcp }, { dir, files: [] })
  return servers[0]?.value ?? leftOut[0]?.reason ?? 'nothing'
}

const stdio = (env: Record<string, string>): McpServer => ({ command: 'srv', args: ['-x'], env })
const remote = (headers: Record<string, string>): McpServer => ({ type: 'http', url: 'https://h.example/mcp', headers })
const OWN = { command: 'srv', args: ['-x'] }
const SHELL = { command: 'sh', args: ['-c', `exec env 'TOKEN='"\${OTHER}" "$@"`, 'sh', 'srv', '-x'] }
const URL = 'https://h.example/mcp'
const LEFT_OUT = expect.stringMatching(/^the MCP server "one" is left out of .*cannot replace the variable/)

/** In each host: a variable under its own name, under another one, and in a header. */
const TABLE: readonly (readonly [id: string, same: unknown, renamed: unknown, header: unknown])[] = [
  [
    'claude',
    { ...OWN, env: { TOKEN: '${TOKEN}' } },
    { ...OWN, env: { TOKEN: '${OTHER}' } },
    { type: 'http', url: URL, headers: { 'X-Key': '${KEY}' } },
  ],
  [
    'codex',
    { ...OWN, env_vars: ['TOKEN'] },
    { ...SHELL, env_vars: ['OTHER'] },
    { url: URL, env_http_headers: { 'X-Key': 'KEY' } },
  ],
  [
    'cursor',
    { ...OWN, env: { TOKEN: '${env:TOKEN}' } },
    { ...OWN, env: { TOKEN: '${env:OTHER}' } },
    { url: URL, headers: { 'X-Key': '${env:KEY}' } },
  ],
  [
    'copilot',
    { type: 'local', ...OWN, env: { TOKEN: '${TOKEN}' }, tools: ['*'] },
    { type: 'local', ...OWN, env: { TOKEN: '${OTHER}' }, tools: ['*'] },
    { type: 'http', url: URL, headers: { 'X-Key': '${KEY}' }, tools: ['*'] },
  ],
  [
    'qwen',
    { ...OWN, env: { TOKEN: '${TOKEN}' } },
    { ...OWN, env: { TOKEN: '${OTHER}' } },
    { httpUrl: URL, headers: { 'X-Key': '${KEY}' } },
  ],
  ...(['opencode', 'kilo'] as const).map(
    (id) =>
      [
        id,
        { type: 'local', command: ['srv', '-x'], environment: { TOKEN: '{env:TOKEN}' }, enabled: true },
        { type: 'local', command: ['srv', '-x'], environment: { TOKEN: '{env:OTHER}' }, enabled: true },
        { type: 'remote', url: URL, headers: { 'X-Key': '{env:KEY}' }, enabled: true },
      ] as const,
  ),
  ['kimi-code', OWN, SHELL, LEFT_OUT],
  ['cline', OWN, SHELL, LEFT_OUT],
  ['trae', LEFT_OUT, LEFT_OUT, LEFT_OUT],
]

describe('a variable of the user', () => {
  it.each(TABLE)('reaches a server of %s, or the server is left out with the reason', (id, same, renamed, header) => {
    expect(inHost(id, stdio({ TOKEN: '${TOKEN}' }))).toEqual(same)
    expect(inHost(id, stdio({ TOKEN: '${OTHER}' }))).toEqual(renamed)
    expect(inHost(id, remote({ 'X-Key': '${KEY}' }))).toEqual(header)
  })

  it('has a row for each host with servers', () => {
    const hosts = RUNTIMES.filter(({ mcp }) => mcp !== undefined).map(({ id }) => id)
    expect(TABLE.map(([id]) => id).toSorted()).toEqual(hosts.toSorted())
  })

  it('is the bearer token of Codex and Kimi Code by its name', () => {
    const server = remote({ Authorization: 'Bearer ${KEY}' })
    expect(inHost('codex', server)).toEqual({ url: URL, bearer_token_env_var: 'KEY' })
    expect(inHost('kimi-code', server)).toEqual({ url: URL, bearerTokenEnvVar: 'KEY' })
    expect(inHost('cline', server)).toEqual(LEFT_OUT)
  })

  it('with a default stays where the host knows defaults, and leaves the server out where it would read them as a name', () => {
    expect(inHost('claude', stdio({ A: '${B:-c}' }))).toMatchObject({ env: { A: '${B:-c}' } })
    for (const id of ['cursor', 'qwen', 'opencode']) expect(inHost(id, stdio({ A: '${B:-c}' }))).toEqual(LEFT_OUT)
    expect(inHost('cline', stdio({ A: '${B:-c}' }))).toMatchObject({ command: 'sh' })
  })

  it('in a url or a part of a header leaves the server out of a host that cannot replace it', () => {
    expect(inHost('codex', remote({ 'X-Key': 'a ${KEY}' }))).toEqual(LEFT_OUT)
    expect(inHost('copilot', { type: 'http', url: 'https://${HOST}/mcp' })).toEqual(LEFT_OUT)
  })

  it.each(['kimi-code', 'cline', 'codex', 'copilot'])(
    'reaches a program that %s starts through a shell as it is, whatever is in it',
    (id) => {
      const nasty = `a b'"$(echo no)\`echo no\`;*\\`
      const print = 'console.log(JSON.stringify([process.env.A, process.env.C, ...process.argv.slice(1)]))'
      const server: McpServer = {
        command: 'node',
        args: ['-e', print, '--', '${B}', "it's", '${D:-x"$}'],
        env: { A: 'pre ${B}', C: "lit'eral" },
      }
      const value = inHost(id, server) as { command: string; args: string[]; env: Record<string, string> }
      // Copilot replaces variables in `env` itself.
      const env = id === 'copilot' ? { ...value.env, A: `pre ${nasty}` } : value.env
      const out = execFileSync(value.command, value.args, { env: { PATH, B: nasty, ...env } })
      expect(JSON.parse(String(out))).toEqual([`pre ${nasty}`, "lit'eral", nasty, "it's", 'x"$'])
    },
  )
})

describe('the folder of a server', () => {
  it.each(['claude', 'cursor', 'copilot', 'opencode', 'kilo'])(
    'is entered by a shell in %s, which has no cwd',
    (id) => {
      const dir = scratch.path("home/o'dd $(x) dir")
      mkdirSync(`${dir}/sub`, { recursive: true })
      const server: McpServer = { command: 'node', args: ['-p', 'process.cwd()'], cwd: './sub' }
      const value = inHost(id, server, dir) as { command: string | string[]; args?: string[]; cwd?: string }
      expect(value.cwd).toBeUndefined()
      const [command = '', ...args] = [value.command, value.args ?? []].flat()
      expect(String(execFileSync(command, args, { env: { PATH } })).trim()).toBe(`${dir}/sub`)
    },
  )

  it.each(['codex', 'qwen', 'cline', 'kimi-code'])('is named to %s, which enters it', (id) => {
    expect(inHost(id, { command: 'srv', cwd: './sub' })).toMatchObject({ command: 'srv', cwd: '/b/sub' })
  })
})

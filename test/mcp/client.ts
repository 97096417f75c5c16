import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterEach } from 'vitest'

export const GSD = join(import.meta.dirname, '../../bin/gsd.js')

const clients: Client[] = []
const children: ChildProcess[] = []

/** The environment of a server: nothing of this machine but the path. */
export const serverEnv = (home: string): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: home })

/** The official client, connected to the built program. Closed after the test. */
export const connect = async (roots: readonly string[], home: string): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const args = [GSD, 'mcp', ...roots.flatMap((root) => ['--skills-root', root])]
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: serverEnv(home), cwd: home, stderr: 'pipe' }),
  )
  clients.push(client)
  return client
}

/** The built program with bare pipes. Ended after the test. */
export const start = (roots: readonly string[], home: string): ChildProcess => {
  const args = [GSD, 'mcp', ...roots.flatMap((root) => ['--skills-root', root])]
  const child = spawn(process.execPath, args, { env: serverEnv(home), cwd: home, stdio: 'pipe' })
  children.push(child)
  return child
}

/** What the server answers to these lines, when its input is closed after them. */
export const exchange = async (
  lines: readonly string[],
  roots: readonly string[],
  home: string,
): Promise<{ readonly answers: readonly Answer[]; readonly status: number | null; readonly errors: string }> => {
  const child = start(roots, home)
  const [out, errors]: [Buffer[], Buffer[]] = [[], []]
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk))
  const status = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(lines.map((line) => `${line}\n`).join(''))
  const code = await status
  const text = Buffer.concat(out).toString('utf8')
  const answers = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Answer)
  return { answers, status: code, errors: Buffer.concat(errors).toString('utf8') }
}

export interface Answer {
  readonly id: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

export const request = (id: unknown, method: string, params: unknown = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

export const HELLO = [
  request('hello', 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
]

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
})

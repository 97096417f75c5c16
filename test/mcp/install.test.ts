import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { makeMachine, type Machine } from '../helpers/gsd.ts'
import { treeOf } from '../helpers/tree.ts'

const machines: Machine[] = []
const machine = (): Machine => {
  const made = makeMachine("gsd '$ ")
  machines.push(made)
  return made
}
afterEach(() => {
  for (const made of machines.splice(0)) made.remove()
})
const run = (made: Machine, ...args: readonly string[]) => made.gsd(['mcp', 'install', ...args])

const SETTINGS =
  '{\r\n\t"theme": "dark",\r\n\t"mcpServers": {\r\n\t\t"mine": { "command": "mine" }\r\n\t},\r\n\t"n": 1.0\r\n}'

describe('gsd mcp install', () => {
  it.each(['claude', 'codex', 'cursor'])(
    'adds the server to %s, once, and takes it out without a trace',
    async (runtime) => {
      const made = machine()
      const before = treeOf(made.home)
      const first = await run(made, '--runtime', runtime, '--skills-root', '.', '--yes', '--json')
      const [server] = first.json.data['servers'] as { file: string; changed: boolean }[]
      expect(server?.changed).toBe(true)
      const text = readFileSync(server?.file ?? '', 'utf8')
      expect(text).toContain('--skills-root')
      expect(text).toContain(JSON.stringify(made.project).slice(1, -1))
      const again = await run(made, '--runtime', runtime, '--skills-root', '.', '--yes', '--json')
      expect(again.json.data['servers']).toMatchObject([{ changed: false }])
      expect(readFileSync(server?.file ?? '', 'utf8')).toBe(text)
      await run(made, '--runtime', runtime, '--remove')
      expect(treeOf(made.home).filter((line) => !line.includes('.gsd'))).toEqual(before)
    },
  )

  it('leaves every other byte of the settings as it is, and gives them back', async () => {
    const made = machine()
    const file = join(made.home, '.claude.json')
    writeFileSync(file, SETTINGS)
    await run(made, '--runtime', 'claude', '--yes')
    const text = readFileSync(file, 'utf8')
    expect(JSON.parse(text)).toMatchObject({
      mcpServers: { mine: { command: 'mine' }, gsd: { args: expect.anything() as unknown } },
    })
    expect(text.startsWith(SETTINGS.slice(0, SETTINGS.indexOf(' }\r\n')))).toBe(true)
    await run(made, '--runtime', 'claude', '--remove')
    expect(readFileSync(file, 'utf8')).toBe(SETTINGS)
  })

  it('says what the host will run and writes nothing without consent', async () => {
    const made = machine()
    const before = treeOf(made.home)
    const { status, stderr, json } = await run(made, '--runtime', 'claude', '--json')
    expect({ status, code: json.error.code }).toEqual({ status: 3, code: 'CONSENT_REQUIRED' })
    expect(stderr).toContain('the host will run')
    expect(treeOf(made.home).filter((line) => !line.includes('.gsd'))).toEqual(before)
  })

  it('writes nothing with --dry-run', async () => {
    const made = machine()
    const before = treeOf(made.home)
    expect((await run(made, '--runtime', 'claude', '--dry-run')).stdout).toContain('would be added to claude')
    expect(treeOf(made.home)).toEqual(before)
  })

  it('refuses a server of that name that is not ours', async () => {
    const made = machine()
    const text = '{"mcpServers":{"gsd":{"command":"other"}}}'
    writeFileSync(join(made.home, '.claude.json'), text)
    const { json } = await run(made, '--runtime', 'claude', '--yes', '--json')
    expect(json.error.code).toBe('HOST_SERVER_NAME')
    expect(readFileSync(join(made.home, '.claude.json'), 'utf8')).toBe(text)
  })

  it('is nothing that doctor takes for a leftover', async () => {
    const made = machine()
    await run(made, '--runtime', 'claude', '--yes')
    const { status, json } = await made.gsd(['capability', 'doctor', '--fix', '--json'])
    expect({ status, warnings: json.warnings }).toEqual({ status: 0, warnings: [] })
    expect(readFileSync(join(made.home, '.claude.json'), 'utf8')).toContain('"gsd"')
  })

  it.each([
    [['--yes'], 'USAGE_MISSING_ARGUMENT'],
    [['--runtime', 'clade', '--yes'], 'HOST_UNKNOWN_RUNTIME'],
    [['--runtime', 'claude', '--remove', '--skills-root', 'x'], 'USAGE_CONFLICT'],
  ])('%j is refused', async (args, code) => {
    expect((await run(machine(), ...args, '--json')).json.error.code).toBe(code)
  })

  it('writes a command that a client can start', async () => {
    const made = machine()
    made.put('project/skills_index.json', '[]')
    await run(made, '--runtime', 'claude', '--skills-root', '.', '--yes')
    const settings = JSON.parse(readFileSync(join(made.home, '.claude.json'), 'utf8')) as {
      mcpServers: { gsd: { command: string; args: string[] } }
    }
    const { Client } = await import('@modelcontextprotocol/client')
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ ...settings.mcpServers.gsd, env: { ...made.env }, cwd: made.home }))
    expect((await client.callTool({ name: 'search_skills' })).structuredContent).toMatchObject({ total: 0 })
    await client.close()
  })
})

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'
import { bundleFiles } from '../helpers/scratch.ts'
import { runOnTerminal } from '../helpers/terminal.ts'

let machine: Machine
beforeEach(() => void (machine = makeMachine()))
afterEach(() => machine.remove())

const BEL = '\u0007'
/** Clears the screen, rings, renames the window, and reverses the reading direction. */
const EVIL = `\u001b[31m\u001b[2J\u001b]0;owned${BEL}\u009b31m\u202e`

const write = (file: string, content: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** A bundle in the project that no archive may contain: control characters in file names, and in every value. */
const plant = (id: string, manifest: Record<string, unknown> = {}): string => {
  const dir = join(machine.project, '.gsd/capabilities', id)
  for (const [path, content] of Object.entries(bundleFiles(id, manifest))) write(join(dir, path), content)
  write(join(dir, `docs/${EVIL}.md`), 'x')
  return dir
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

const expectPlain = (text: string): void => expect(text.match(CONTROLS)).toBeNull()

describe('control sequences in a capability', () => {
  const COMMANDS = [
    ['list'],
    ['info', 'guard'],
    ['trust', 'grant', 'guard', '--dry-run'],
    ['trust', 'grant', 'guard'],
    ['trust', 'grant', 'guard', '--yes', '--allow-hidden-unicode'],
    ['trust', 'list'],
    ['verify'],
    ['doctor'],
    ['trust', 'revoke', 'guard'],
  ]
  test('in names of files do not reach the terminal, in any command', async () => {
    plant('guard')
    plant(`x${EVIL}`.replaceAll('/', ''))
    for (const args of COMMANDS) {
      const { stdout, stderr, status } = await machine.gsd(['capability', ...args])
      expectPlain(stdout)
      expectPlain(stderr)
      expect(status).not.toBe(1)
    }
  })

  test.each([
    ['title', { title: `T${EVIL}` }],
    ['description', { description: `D${EVIL}` }],
    ['matcher', { hooks: [{ event: 'Stop', matcher: EVIL, script: 'hooks/run.sh' }] }],
    ['event', { hooks: [{ event: EVIL, script: 'hooks/run.sh' }] }],
    ['script', { hooks: [{ event: 'Stop', script: `hooks/${EVIL}.sh` }] }],
    ['command', { mcpServers: { db: { command: EVIL } } }],
    ['server', { mcpServers: { [EVIL]: { command: 'x' } } }],
    ['environment', { mcpServers: { db: { command: 'x', env: { A: EVIL } } } }],
    ['id', { id: `x${EVIL}` }],
    ['version', { version: `1.0.0-${EVIL}` }],
    ['requires', { requires: [EVIL] }],
    ['unknown key', { [EVIL]: 1 }],
  ])('in the manifest, as %s, do not reach it either', async (_what, manifest) => {
    const dir = join(machine.root, 'bundle')
    for (const [path, content] of Object.entries(bundleFiles('guard', manifest))) write(join(dir, path), content)
    for (const args of [
      ['install', dir, '--yes'],
      ['validate', dir],
      ['info', dir],
    ]) {
      const { stdout, stderr, status } = await machine.gsd(['capability', ...args])
      expectPlain(stdout)
      expectPlain(stderr)
      expect(status).not.toBe(1)
    }
  })

  test('are data in --json, escaped as JSON', async () => {
    plant('guard')
    const { json, stdout } = await machine.gsd(['capability', 'info', 'guard', '--json'])
    const [details] = json.data['details'] as readonly { readonly fileList: readonly { readonly path: string }[] }[]
    expect(details?.fileList.map(({ path }) => path)).toContain(`docs/${EVIL}.md`)
    expect(stdout.replaceAll('\n', '').match(/[\u0000-\u001f]/)).toBeNull()
  })

  test('a real terminal receives only our own colours', async () => {
    plant('guard')
    const { screen } = await runOnTerminal(machine, ['capability', 'info', 'guard'])
    expect(screen).not.toContain('\u001b[2J')
    expect(screen).not.toContain(BEL)
    expect(screen.replaceAll(/\u001b\[(?:1|2|22|3[0-9]|39)m|\r/g, '').match(CONTROLS)).toBeNull()
  })
})

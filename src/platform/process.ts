import { type ChildProcess, spawn } from 'node:child_process'
import { errnoOf, interruptedError } from '../errors.ts'

export interface ProcessOptions {
  /** Found on the PATH of `env`. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Milliseconds it may take. */
  readonly timeout: number
  /** Milliseconds it may say nothing at all; default: as long as it may take. */
  readonly idleTimeout?: number
  /** Text on its stdin; none: empty. */
  readonly input?: string
  /** Takes stdout as it comes, instead of it being kept. A throw ends the program. */
  readonly onStdout?: (chunk: Buffer) => void
  /** Hears what it says on stderr, piece by piece. */
  readonly onStderr?: (text: string) => void
  /** Called every now and then while it runs. A throw ends the program. */
  readonly onTick?: () => void
}

export interface ProcessResult {
  /** Null when a signal ended it. */
  readonly status: number | null
  readonly stdout: Buffer
  /** The end of it, where it is long. */
  readonly stderr: string
}

/** The program is not there. */
export class ProgramNotFound extends Error {}
/** The program took longer than it may. */
export class ProcessTimeout extends Error {}
/** The program said more than it may. */
export class OutputTooLarge extends Error {}

const MAX_STDOUT_BYTES = 64 * 1024 * 1024
const MAX_STDERR_BYTES = 64 * 1024
const TICK_MS = 200
/** Milliseconds between the request to end and the end. */
const KILL_DELAY_MS = 2000
/** Milliseconds for which a pipe may stay silent once the program is gone: a helper it left behind may hold it open. */
const PIPE_CLOSE_DELAY_MS = 1000

/**
 * Runs a program, which leads a group of its own without a terminal: nothing can ask the user anything, and everything it
 * started ends with it.
 * @throws NoProgram, TookTooLong, SaidTooMuch, INTERRUPTED, and what `take` and `watch` throw
 */
export const runProgram = (program: ProcessOptions): Promise<ProcessResult> =>
  new Promise((resolve, reject) => {
    if (program.signal.aborted) return reject(interruptedError())
    const child = spawn(program.file, program.args, {
      cwd: program.cwd,
      env: program.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    let failure: unknown = null
    const stop = (reason: unknown): void => {
      if (failure !== null) return
      failure = reason
      killGroup(child)
    }
    const guarded = (work: () => void): void => {
      try {
        work()
      } catch (error) {
        stop(error)
      }
    }
    const onAbort = (): void => stop(interruptedError())
    program.signal.addEventListener('abort', onAbort, { once: true })
    const late = setTimeout(
      () => stop(new ProcessTimeout(`no end within ${program.timeout / 1000} s`)),
      program.timeout,
    )
    const { idleTimeout = program.timeout } = program
    const silent = setTimeout(() => stop(new ProcessTimeout(`a standstill of ${idleTimeout / 1000} s`)), idleTimeout)
    const { onTick } = program
    const watching = onTick === undefined ? undefined : setInterval(() => guarded(onTick), TICK_MS)
    const out = collectLimited(MAX_STDOUT_BYTES, () => stop(new OutputTooLarge('more than it may')))
    const words = collectTail(MAX_STDERR_BYTES)
    const { onStdout = out.take } = program
    child.stdout.on('data', (chunk: Buffer) => {
      silent.refresh()
      if (failure === null) guarded(() => onStdout(chunk))
    })
    child.stderr.on('data', (chunk: Buffer) => {
      silent.refresh()
      words.take(chunk)
      program.onStderr?.(chunk.toString('utf8'))
    })
    child.stdin.on('error', () => {})
    child.stdin.end(program.input ?? '')
    closePipesAfterExit(child)
    const settle = (): void => {
      program.signal.removeEventListener('abort', onAbort)
      clearTimeout(late)
      clearTimeout(silent)
      clearInterval(watching)
    }
    child.once('error', (error) => {
      settle()
      reject(isMissing(error) ? new ProgramNotFound(program.file, { cause: error }) : error)
    })
    child.once('close', (status) => {
      settle()
      if (failure !== null) reject(failure)
      else resolve({ status, stdout: out.bytes(), stderr: words.text() })
    })
  })

const isMissing = (error: unknown): boolean => ['ENOENT', 'EACCES', 'ENOEXEC'].includes(errnoOf(error) ?? '')

const killGroup = (child: ChildProcess): void => {
  signalGroup(child, 'SIGTERM')
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_DELAY_MS)
  child.once('close', () => clearTimeout(kill))
}

const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // It is gone already.
  }
}

const closePipesAfterExit = (child: ChildProcess): void => {
  child.once('exit', () => {
    const close = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, PIPE_CLOSE_DELAY_MS)
    child.stdout?.on('data', () => close.refresh())
    child.once('close', () => clearTimeout(close))
  })
}

const collectLimited = (most: number, tooMuch: () => void) => {
  const chunks: Buffer[] = []
  let size = 0
  return {
    take(chunk: Buffer): void {
      size += chunk.length
      if (size > most) tooMuch()
      else chunks.push(chunk)
    },
    bytes: () => Buffer.concat(chunks),
  }
}

const collectTail = (most: number) => {
  let kept = Buffer.alloc(0)
  return {
    take: (chunk: Buffer): void => void (kept = Buffer.concat([kept, chunk]).subarray(-most)),
    text: () => kept.toString('utf8'),
  }
}

import { spawn, type ChildProcess } from 'node:child_process'
import { interrupted } from '../bundle/refusal.ts'
import { errnoOf } from '../errors.ts'

export interface Program {
  /** Found on the PATH of `env`. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Milliseconds it may take. */
  readonly time: number
  /** Milliseconds it may say nothing at all; default: as long as it may take. */
  readonly silence?: number
  /** Text on its stdin; none: empty. */
  readonly input?: string
  /** Takes stdout as it comes, instead of it being kept. A throw ends the program. */
  readonly take?: (chunk: Buffer) => void
  /** Hears what it says on stderr, piece by piece. */
  readonly hear?: (text: string) => void
  /** Called every now and then while it runs. A throw ends the program. */
  readonly watch?: () => void
}

export interface Ran {
  /** Null when a signal ended it. */
  readonly status: number | null
  readonly stdout: Buffer
  /** The end of it, where it is long. */
  readonly stderr: string
}

/** The program is not there. */
export class NoProgram extends Error {}
/** The program took longer than it may. */
export class TookTooLong extends Error {}
/** The program said more than it may. */
export class SaidTooMuch extends Error {}

const MOST_KEPT = 64 * 1024 * 1024
const MOST_WORDS = 64 * 1024
const WATCH = 200
/** Milliseconds between the request to end and the end. */
const GRACE = 2000
/** Milliseconds for which a pipe may stay silent once the program is gone: a helper it left behind may hold it open. */
const LINGER = 1000

/**
 * Runs a program, which leads a group of its own without a terminal: nothing can ask the user anything, and everything it
 * started ends with it.
 * @throws NoProgram, TookTooLong, SaidTooMuch, INTERRUPTED, and what `take` and `watch` throw
 */
export const runProgram = (program: Program): Promise<Ran> =>
  new Promise((resolve, reject) => {
    if (program.signal.aborted) return reject(interrupted())
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
      endGroup(child)
    }
    const guarded = (work: () => void): void => {
      try {
        work()
      } catch (error) {
        stop(error)
      }
    }
    const onAbort = (): void => stop(interrupted())
    program.signal.addEventListener('abort', onAbort, { once: true })
    const late = setTimeout(() => stop(new TookTooLong(`no end within ${program.time / 1000} s`)), program.time)
    const { silence = program.time } = program
    const silent = setTimeout(() => stop(new TookTooLong(`a standstill of ${silence / 1000} s`)), silence)
    const { watch } = program
    const watching = watch === undefined ? undefined : setInterval(() => guarded(watch), WATCH)
    const out = keep(MOST_KEPT, () => stop(new SaidTooMuch('more than it may')))
    const words = keepEnd(MOST_WORDS)
    const { take = out.take } = program
    child.stdout.on('data', (chunk: Buffer) => {
      silent.refresh()
      if (failure === null) guarded(() => take(chunk))
    })
    child.stderr.on('data', (chunk: Buffer) => {
      silent.refresh()
      words.take(chunk)
      program.hear?.(chunk.toString('utf8'))
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
      reject(isMissing(error) ? new NoProgram(program.file, { cause: error }) : error)
    })
    child.once('close', (status) => {
      settle()
      if (failure !== null) reject(failure)
      else resolve({ status, stdout: out.bytes(), stderr: words.text() })
    })
  })

const isMissing = (error: unknown): boolean => ['ENOENT', 'EACCES', 'ENOEXEC'].includes(errnoOf(error) ?? '')

const endGroup = (child: ChildProcess): void => {
  signalGroup(child, 'SIGTERM')
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE)
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
    }, LINGER)
    child.stdout?.on('data', () => close.refresh())
    child.once('close', () => clearTimeout(close))
  })
}

const keep = (most: number, tooMuch: () => void) => {
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

const keepEnd = (most: number) => {
  let kept = Buffer.alloc(0)
  return {
    take: (chunk: Buffer): void => void (kept = Buffer.concat([kept, chunk]).subarray(-most)),
    text: () => kept.toString('utf8'),
  }
}

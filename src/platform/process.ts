import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import { errnoOf, interruptedError } from '../errors.ts'
import { collectOutput, type Collector, type OutputOptions } from './process-output.ts'

export interface ProcessOptions {
  /** Found on the PATH of `env`. No shell reads it: a command line is `sh` with `-c`. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Milliseconds until the program is ended. */
  readonly timeout: number
  /** Milliseconds without any output until the program is ended. Default: `timeout`. */
  readonly idleTimeout?: number
  /** What the program reads on stdin. Default: nothing. */
  readonly input?: string | Uint8Array
  /** Default: 64 MiB are kept; more ends the program. */
  readonly stdout?: OutputOptions
  /** Default: the last 64 KiB are kept. `stdout`: both streams are one, in the order of arrival. */
  readonly stderr?: OutputOptions | 'stdout'
  /** Ends whatever the program left running in its group. Default: it stays, as a daemon that git starts does. */
  readonly endGroup?: boolean
  /** Called every 200 ms while the program runs. A throw ends the program and is rethrown. */
  readonly onTick?: () => void
}

export interface ProcessResult {
  /** Null when a signal ended the program. */
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  /** What was kept of stdout. */
  readonly stdout: Buffer
  /** What was kept of stderr. */
  readonly stderr: string
  /** Whether something of the output was dropped. */
  readonly truncated: boolean
}

export type ProcessFailure = 'not-found' | 'timeout' | 'idle-timeout' | 'output-too-large'

/** A program that could not be started, or was ended because it exceeded a limit. */
export class ProcessError extends Error {
  readonly reason: ProcessFailure
  /** Milliseconds or bytes; 0 for `not-found`. */
  readonly limit: number
  /** What it printed before it was ended; null where it did not start. */
  result: ProcessResult | null = null

  constructor(reason: ProcessFailure, file: string, limit = 0, cause?: unknown) {
    super(`${file}: ${reason}`, { cause })
    this.name = 'ProcessError'
    this.reason = reason
    this.limit = limit
  }
}

const DEFAULT_STDOUT: OutputOptions = { limit: 64 * 1024 * 1024, overflow: 'fail' }
const DEFAULT_STDERR: OutputOptions = { limit: 64 * 1024, overflow: 'keep-end' }
const TICK_MS = 200
/** Between SIGTERM and SIGKILL. */
const KILL_DELAY_MS = 2000
/** How long a pipe may stay silent after the program has exited: a helper that it left behind may hold it open. */
const PIPE_CLOSE_DELAY_MS = 1000

/**
 * Runs a program to its end, whatever its exit status. It leads a process group of its own without a terminal, so nothing
 * can prompt the user and everything it started ends with it.
 * @throws ProcessError, GsdError INTERRUPTED, and what the callbacks throw
 */
export const runProgram = async (options: ProcessOptions): Promise<ProcessResult> => {
  const { file, signal, timeout, idleTimeout = timeout, onTick } = options
  if (signal.aborted) throw interruptedError()
  const fail = (limit: number): never => {
    throw new ProcessError('output-too-large', file, limit)
  }
  const out = collectOutput(options.stdout ?? DEFAULT_STDOUT, fail)
  const errors = options.stderr === 'stdout' ? out : collectOutput(options.stderr ?? DEFAULT_STDERR, fail)
  const { child } = await startProgram(options)
  let failure: { readonly error: unknown } | null = null
  let kill: NodeJS.Timeout | undefined
  const stop = (error: unknown): void => {
    if (failure !== null) return
    failure = { error }
    signalGroup(child.pid, 'SIGTERM')
    kill = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), KILL_DELAY_MS)
  }
  const guarded = (work: () => void): void => {
    try {
      if (failure === null) work()
    } catch (error) {
      stop(error)
    }
  }
  let ended: Pick<ProcessResult, 'status' | 'signal'> = { status: null, signal: null }
  child.once('exit', (status, exitSignal) => (ended = { status, signal: exitSignal }))
  const late = setTimeout(() => stop(new ProcessError('timeout', file, timeout)), timeout)
  const silent = setTimeout(() => stop(new ProcessError('idle-timeout', file, idleTimeout)), idleTimeout)
  const ticks = onTick === undefined ? undefined : setInterval(() => guarded(onTick), TICK_MS)
  const onAbort = (): void => stop(interruptedError())
  signal.addEventListener('abort', onAbort, { once: true })
  const collectFrom = (pipe: Readable, collector: Collector): void =>
    void pipe.on('data', (chunk: Buffer) => {
      silent.refresh()
      guarded(() => collector.take(chunk))
    })
  collectFrom(child.stdout, out)
  collectFrom(child.stderr, errors)
  closePipesAfterExit(child)
  if (options.endGroup === true) child.once('exit', () => signalGroup(child.pid, 'SIGKILL'))
  const { code, cause } = await child
  signal.removeEventListener('abort', onAbort)
  for (const timer of [late, silent, ticks, kill]) clearTimeout(timer)
  // A member of the group may have ignored SIGTERM while its leader obeyed.
  if (failure !== null || options.endGroup === true) signalGroup(child.pid, 'SIGKILL')
  const stdout = out.finish()
  const stderr = errors === out ? '' : errors.finish().toString('utf8')
  if (child.pid === undefined) throw startError(file, code, cause)
  const result: ProcessResult = { ...ended, stdout, stderr, truncated: out.truncated || errors.truncated }
  return endWith(failure, result)
}

/** In an object, since the child itself is a promise of its end. */
const startProgram = async ({ file, args, cwd, env, input = '' }: ProcessOptions) => {
  const { execa } = await import('execa')
  const child = execa(file, args, {
    cwd,
    env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    extendEnv: false,
    detached: true,
    buffer: false,
    reject: false,
    encoding: 'buffer',
    // execa tolerates a program that exits without reading this.
    stdin: input.length === 0 ? 'ignore' : Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  return { child }
}

const endWith = (failure: { readonly error: unknown } | null, result: ProcessResult): ProcessResult => {
  if (failure === null) return result
  if (failure.error instanceof ProcessError) failure.error.result = result
  throw failure.error
}

const startError = (file: string, code: string | undefined, cause: unknown): unknown =>
  ['ENOENT', 'EACCES', 'ENOEXEC'].includes(code ?? errnoOf(cause) ?? '')
    ? new ProcessError('not-found', file, 0, cause)
    : cause

const signalGroup = (pid: number | undefined, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // The group has ended.
  }
}

const closePipesAfterExit = (child: Pick<ChildProcess, 'once' | 'stdout' | 'stderr'>): void => {
  const pipes = [child.stdout, child.stderr]
  child.once('exit', () => {
    const close = setTimeout(() => pipes.forEach((pipe) => pipe?.destroy()), PIPE_CLOSE_DELAY_MS)
    for (const pipe of pipes) pipe?.on('data', () => close.refresh())
    child.once('close', () => clearTimeout(close))
  })
}

/**
 * What a small command of the system prints, trimmed; null when it fails or prints nothing. Synchronous, because file
 * locks compare processes in the middle of their work; only systems without `/proc` come here.
 */
export const commandOutput = (command: string, args: readonly string[]): string | null => {
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const text = execFileSync(command, [...args], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
    }).trim()
    return text === '' ? null : text
  } catch {
    return null
  }
}

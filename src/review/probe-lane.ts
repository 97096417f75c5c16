import { interruptedError } from '../errors.ts'
import { ProcessError, runProgram } from '../platform/process.ts'
import { quote } from '../redact.ts'
import { findProgram } from './find-program.ts'
import { CallFailed, callServer } from './http-call.ts'
import type { Lane } from './lane.ts'

export interface ProbeContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Folder that a probed program is started in. */
  readonly cwd: string
  /** Whether no host may be asked. */
  readonly offline: boolean
}

/** Why a lane cannot run at this moment, or null. @throws GsdError INTERRUPTED */
export const probeLane = async (lane: Lane, context: ProbeContext): Promise<string | null> => {
  if (context.signal.aborted) throw interruptedError()
  if (lane.refused !== null) return lane.refused
  const programs = [...(lane.call.transport === 'spawn' ? [lane.call.binary] : []), ...lane.requiresBinaries]
  const missing = programs.find((name) => findProgram(name, context.env) === null)
  if (missing !== undefined) return notOnPath(missing)
  const { probe } = lane
  switch (probe.kind) {
    case 'command-exists':
      return findProgram(probe.binary, context.env) === null ? notOnPath(probe.binary) : null
    case 'command-capability':
      return await probeHelp(probe, context)
    case 'http-reachable':
      return context.offline ? 'it needs the network, and --offline forbids it' : await probeServer(probe, context)
  }
}

type ProbeOf<Kind extends Lane['probe']['kind']> = Extract<Lane['probe'], { readonly kind: Kind }>

const notOnPath = (name: string): string => `the program ${quote(name)} is not on the PATH`

const probeHelp = async (
  { binary, needle, timeoutMs }: ProbeOf<'command-capability'>,
  { env, signal, cwd }: ProbeContext,
): Promise<string | null> => {
  const file = findProgram(binary, env)
  if (file === null) return notOnPath(binary)
  try {
    const { stdout } = await runProgram({
      file,
      args: ['--help'],
      cwd,
      env,
      signal,
      timeout: timeoutMs,
      stdout: { limit: 1024 * 1024, overflow: 'keep-start' },
      stderr: 'stdout',
      endGroup: true,
    })
    return stdout.toString('utf8').includes(needle)
      ? null
      : `${quote(`${binary} --help`)} does not name ${quote(needle)}`
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error
    return error.reason === 'timeout'
      ? `${quote(`${binary} --help`)} did not end within ${timeoutMs / 1000} s`
      : `${quote(`${binary} --help`)} could not be run`
  }
}

const probeServer = async (
  { host, path, timeoutMs }: ProbeOf<'http-reachable'>,
  { env, signal }: ProbeContext,
): Promise<string | null> => {
  const url = `${(host ?? '').replace(/\/+$/, '')}${path}`
  try {
    const { status } = await callServer(url, undefined, { env, signal, timeoutMs, limit: 8 * 1024 * 1024 })
    return status >= 200 && status < 300 ? null : `${quote(url)} answered with status ${status}`
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    return `${quote(url)} cannot be reached: ${error.message}`
  }
}

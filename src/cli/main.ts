import type { ExitStatus } from '../codes.ts'
import type { Context } from '../context.ts'
import { CONTRACT_VERSION, VERSION } from '../version.ts'
import type { Answer, Invocation } from './command.ts'
import { type FamilyCall, findFamilyCall } from './family-call.ts'
import { isTerminal } from './output.ts'
import { parseFrequent, type ParsedCommandLine } from './parse-frequent.ts'
import { openStreams, type Streams, toGsdError } from './streams.ts'
import { openTerminal } from './terminal.ts'
import { withoutStyle } from './view/view.ts'

/** Runs one command line and returns its exit status. Nothing escapes from here. */
const main = async (argv: readonly string[]): Promise<number> => {
  const streams = openStreams(argv, process.env)
  let interrupted: AbortSignal | null = null
  const failed = (thrown: unknown): ExitStatus => streams.printError(toGsdError(thrown, interrupted?.aborted === true))
  try {
    const family = findFamilyCall(argv)
    const ran = family === null ? null : await runFamilyCall(family, streams, failed)
    if (ran !== null) return ran
    const request = forTerminal((await parseFrequent(argv)) ?? (await parseAny(argv)))
    if (request.kind !== 'run') return streams.printAnswer(await answerHelpOrVersion(request, streams))
    guardProcess(failed)
    interrupted = watchInterrupts()
    const status = streams.printAnswer(await runCommand(request, streams, interrupted))
    return streams.failure === null ? status : failed(streams.failure)
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Any line, by the table of all commands. @throws GsdError USAGE_* */
const parseAny = async (argv: readonly string[]): Promise<ParsedCommandLine> => {
  const { parseCommandLine } = await import('./parse-command-line.ts')
  return parseCommandLine(argv)
}

const guardProcess = (failed: (thrown: unknown) => ExitStatus): void => {
  process.on('uncaughtException', (thrown) => process.exit(failed(thrown)))
  // Work that waits forever would otherwise end the process with status 0.
  process.once('beforeExit', () => process.exit(failed(new Error('the work never finished'))))
}

/** Null where no capability has the family: then the line is mistyped. */
const runFamilyCall = async (
  call: FamilyCall,
  streams: Streams,
  failed: (thrown: unknown) => ExitStatus,
): Promise<number | null> => {
  const { runFamilyCommand } = await import('./run-family-command.ts')
  const signal = watchInterrupts()
  const status = await runFamilyCommand(call, { streams, signal, guard: () => guardProcess(failed) })
  return status
}

/** What speaks to a program has nothing to say to a person but its help. */
const forTerminal = (request: ParsedCommandLine): ParsedCommandLine =>
  request.kind === 'run' && request.command.helpOnTerminal === true && isTerminal(0)
    ? { kind: 'help', topic: [request.command.noun], flags: request.flags }
    : request

type RunRequest = Extract<ParsedCommandLine, { kind: 'run' }>

const answerHelpOrVersion = async (
  request: Exclude<ParsedCommandLine, RunRequest>,
  streams: Streams,
): Promise<Answer> => {
  if (request.kind === 'version')
    return {
      data: { version: VERSION, contract: CONTRACT_VERSION },
      human: () => `gsd-capability ${VERSION} (GSD ${CONTRACT_VERSION})`,
    }
  const { helpFor } = await import('./help.ts')
  const text = helpFor(request.topic, streams.json ? withoutStyle : streams.view.style)
  return { data: { help: text }, human: () => text }
}

/** Imports the rest of the program, which --version and --help do not need. */
const runCommand = async (request: RunRequest, streams: Streams, signal: AbortSignal): Promise<Answer> => {
  const { makeContext } = await import('./make-context.ts')
  const flags = request.flags as Invocation['flags']
  const context = makeContext({
    env: process.env,
    cwd: request.flags['cwd'] as string | undefined,
    project: flags.project,
    hostVersion: flags['host-version'],
    firstParty: flags['first-party'],
    offline: flags.offline,
    timeout: request.flags['timeout'] as string | undefined,
    signal,
    report: streams.reporter.report,
  })
  if (request.command.recovers !== false && !flags['dry-run']) await recoverInterrupted(context)
  else await reportInterrupted(context)
  return await request.command.run(context, { args: request.args, flags, terminal: openTerminal(streams, signal) })
}

/** Recovery is only loaded if there may be something to recover. */
const recoverInterrupted = async (context: Context): Promise<void> => {
  const { mayNeedRecovery } = await import('../transaction/unfinished-scopes.ts')
  if (!mayNeedRecovery(context)) return
  const { recoverAllScopes } = await import('../transaction/recover.ts')
  await recoverAllScopes(context)
}

/** A command that must not write only reports. */
const reportInterrupted = async (context: Context): Promise<void> => {
  const { journaledScopes, hasRelocatedScope } = await import('../transaction/unfinished-scopes.ts')
  if (hasRelocatedScope(context))
    (await import('../transaction/relocation/record-relocations.ts')).reportRelocations(context)
  const scopes = journaledScopes(context)
  if (scopes.length === 0) return
  const { busyNotice } = await import('../overlay/read-registry.ts')
  for (const paths of scopes) context.report({ kind: 'warning', diagnostic: busyNotice(paths) })
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const INTERRUPTED: ExitStatus = 130

/**
 * Turns the first SIGINT, SIGTERM or SIGHUP into an abort, so that the work can clean up; a second one ends the process at
 * once, and the next command recovers.
 */
export const watchInterrupts = (): AbortSignal => {
  const controller = new AbortController()
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(INTERRUPTED)
    controller.abort()
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return controller.signal
}

void main(process.argv.slice(2)).then((status) => process.exit(status))

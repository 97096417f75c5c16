import type { ExitStatus } from '../codes.ts'
import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'
import type { Answer, Invocation } from './command.ts'
import { failureOf } from './failure.ts'
import { helpFor } from './help.ts'
import { watchInterrupts } from './interrupt.ts'
import { parse, type Request } from './parse.ts'
import { openStreams, type Streams } from './streams.ts'
import { terminalOn } from './terminal.ts'
import { plain } from './view/style.ts'

/** Runs one command line and returns its exit status. Nothing escapes from here. */
const main = async (argv: readonly string[]): Promise<ExitStatus> => {
  const streams = openStreams(argv, process.env)
  let interrupted: AbortSignal | null = null
  const failed = (thrown: unknown): ExitStatus => streams.fail(failureOf(thrown, interrupted?.aborted === true))
  try {
    const request = parse(argv)
    if (request.kind !== 'run') return streams.answer(answerOfFrame(request, streams))
    process.on('uncaughtException', (thrown) => process.exit(failed(thrown)))
    // Work that waits for what never comes would end the process as if all were well.
    process.once('beforeExit', () => process.exit(failed(new Error('the work came to no end'))))
    interrupted = watchInterrupts()
    const status = streams.answer(await answerOfCommand(request, streams, interrupted))
    return streams.failure === null ? status : failed(streams.failure)
  } catch (thrown) {
    return failed(thrown)
  }
}

type Run = Extract<Request, { kind: 'run' }>

const answerOfFrame = (request: Exclude<Request, Run>, streams: Streams): Answer => {
  if (request.kind === 'version') return { data: { version: VERSION }, human: () => VERSION }
  const text = helpFor(request.topic, streams.json ? plain : streams.view.style)
  return { data: { help: text }, human: () => text }
}

/** Here the frame ends, which answers --version and --help at once, and the rest of the program is read. */
const answerOfCommand = async (request: Run, streams: Streams, signal: AbortSignal): Promise<Answer> => {
  const { makeContext } = await import('../make-context.ts')
  const flags = request.flags as Invocation['flags']
  const context = makeContext({
    env: process.env,
    project: flags.project,
    hostVersion: flags['host-version'],
    firstParty: flags['first-party'],
    offline: flags.offline,
    signal,
    report: streams.reporter.report,
  })
  if (request.command.recovers !== false && !flags['dry-run']) await mendInterrupted(context)
  else await tellInterrupted(context)
  return await request.command.run(context, { args: request.args, flags, terminal: terminalOn(streams, signal) })
}

/** The rooms that mend are only read where there is something to mend. */
const mendInterrupted = async (context: Context): Promise<void> => {
  const { isUnsettled } = await import('../operation/transaction/interrupted.ts')
  if (!isUnsettled(context)) return
  const { recoverFirst } = await import('../operation/transaction/recover-first.ts')
  await recoverFirst(context)
}

/** A command that may not write says what it found. */
const tellInterrupted = async (context: Context): Promise<void> => {
  const { changingScopes, isStrange } = await import('../operation/transaction/interrupted.ts')
  if (isStrange(context)) (await import('../operation/moved/inherit.ts')).tellMoved(context)
  const scopes = changingScopes(context)
  if (scopes.length === 0) return
  const { busy } = await import('../overlay/read-world.ts')
  for (const places of scopes) context.report({ kind: 'warning', diagnostic: busy(places) })
}

void main(process.argv.slice(2)).then((status) => process.exit(status))

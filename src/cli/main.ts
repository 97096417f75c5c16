import type { ExitStatus } from '../codes.ts'
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
  const interrupted = watchInterrupts()
  const failed = (thrown: unknown): ExitStatus => streams.fail(failureOf(thrown, interrupted.aborted))
  process.on('uncaughtException', (thrown) => process.exit(failed(thrown)))
  try {
    const status = streams.answer(await answerTo(parse(argv), streams, interrupted))
    return streams.failure === null ? status : failed(streams.failure)
  } catch (thrown) {
    return failed(thrown)
  }
}

const answerTo = async (request: Request, streams: Streams, signal: AbortSignal): Promise<Answer> => {
  if (request.kind === 'version') return { data: { version: VERSION }, human: () => VERSION }
  if (request.kind === 'help') {
    const text = helpFor(request.topic, streams.json ? plain : streams.view.style)
    return { data: { help: text }, human: () => text }
  }
  // Here the frame ends, which answers --version and --help at once, and the program begins.
  const { makeContext } = await import('../make-context.ts')
  const { command, args, flags } = request
  const context = makeContext({ env: process.env, flags, signal, report: streams.reporter.report })
  return await command.run(context, {
    args,
    flags: flags as Invocation['flags'],
    terminal: terminalOn(streams, signal),
  })
}

void main(process.argv.slice(2)).then((status) => process.exit(status))

import { ProcessError, runProgram } from '../../platform/process.ts'
import { cleanText } from '../../redact.ts'
import type { PredicateInput } from './gate-input.ts'
import { block, failed, pass, type Outcome } from './outcome.ts'

/** A gate's command and the seconds it may take. */
export interface GateCommand {
  readonly command: string
  readonly timeout?: number | undefined
}

const DEFAULT_SECONDS = 30
/** Characters of the output that are kept: the last ones. */
const KEPT_OUTPUT = 2000
/** Enough for as many characters of any length. */
const KEPT_BYTES = 4 * KEPT_OUTPUT

/**
 * Runs a gate's command by `sh -c` in the project. It reads nothing, has no terminal, and ends with its whole group when
 * its time is over, or when the command ends. The phase reaches it as variables of its environment, never as a part of its
 * text.
 * @throws GsdError INTERRUPTED when the signal ends it
 */
export const runCommand = async ({ command, timeout }: GateCommand, input: PredicateInput): Promise<Outcome> => {
  const seconds = timeout ?? DEFAULT_SECONDS
  if (input.project === null) return failed('a command needs a project to run in')
  try {
    const { status, signal, stdout } = await runProgram({
      file: 'sh',
      args: ['-c', command],
      cwd: input.project,
      env: environmentOf(input),
      signal: input.signal,
      timeout: seconds * 1000,
      stdout: { limit: KEPT_BYTES, overflow: 'keep-end' },
      stderr: 'stdout',
      endGroup: true,
    })
    const details = { exitCode: status, signal, output: shownOutput(stdout) }
    if (status === 0) return pass('the command ended with 0', details)
    const message = status === null ? `${signal ?? 'a signal'} ended the command` : `the command ended with ${status}`
    return block(withLastLine(message, details.output), details)
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error
    if (error.reason === 'not-found') return failed('there is no sh on this machine to run the command')
    const output = shownOutput(error.result?.stdout ?? Buffer.alloc(0))
    return block(`the command did not end within ${seconds} s`, { exitCode: null, timedOut: true, output })
  }
}

/** `set -u` in a command must not fail for what the host did not say, so every variable is always there. */
const environmentOf = ({ env, phaseNumber, phaseDir, phaseReqIds, capabilityDir }: PredicateInput) => ({
  ...env,
  PHASE_NUMBER: phaseNumber,
  PHASE_DIR: phaseDir ?? '',
  PHASE_REQ_IDS: phaseReqIds,
  GSD_CAP_DIR: capabilityDir ?? '',
})

/** The last characters; lines stay lines, and every other control character is shown. */
const shownOutput = (output: Buffer): string =>
  cleanText(output.toString('utf8').replaceAll('\r\n', '\n')).slice(-KEPT_OUTPUT)

const withLastLine = (message: string, output: string): string => {
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  return last === '' ? message : `${message}: ${last.slice(-200)}`
}

import { GsdError } from '../../errors.ts'
import { ProcessTimeout, ProgramNotFound, runProgram } from '../../platform/process.ts'
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

/**
 * Runs a gate's command by `sh -c` in the project. It reads nothing, has no terminal, and ends with its whole group when
 * its time is over. The phase reaches it as variables of its environment, never as a part of its text.
 * @throws GsdError INTERRUPTED when the signal ends it
 */
export const runCommand = async ({ command, timeout }: GateCommand, input: PredicateInput): Promise<Outcome> => {
  const seconds = timeout ?? DEFAULT_SECONDS
  if (input.project === null) return failed('a command needs a project to run in')
  let output = ''
  const keep = (text: string): void => void (output = (output + text.slice(-2 * KEPT_OUTPUT)).slice(-2 * KEPT_OUTPUT))
  const details = () => ({ output: shownOutput(output) })
  try {
    const { status } = await runProgram({
      file: 'sh',
      args: ['-c', command],
      cwd: input.project,
      env: environmentOf(input),
      signal: input.signal,
      timeout: seconds * 1000,
      onStdout: (chunk) => keep(chunk.toString('utf8', Math.max(0, chunk.length - 8 * KEPT_OUTPUT))),
      onStderr: keep,
    })
    if (status === 0) return pass('the command ended with 0', { ...details(), exitCode: 0 })
    const message = status === null ? 'a signal ended the command' : `the command ended with ${status}`
    return block(withLastLine(message, output), { ...details(), exitCode: status })
  } catch (error) {
    if (error instanceof GsdError) throw error
    if (error instanceof ProcessTimeout)
      return block(`the command did not end within ${seconds} s`, { ...details(), exitCode: null, timedOut: true })
    if (error instanceof ProgramNotFound) return failed('there is no sh on this machine to run the command')
    return failed(`the command could not be started: ${error instanceof Error ? error.message : String(error)}`)
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

/** Lines stay lines; every other control character is shown. */
const shownOutput = (output: string): string => cleanText(output.replaceAll('\r\n', '\n')).slice(-KEPT_OUTPUT)

const withLastLine = (message: string, output: string): string => {
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  return last === '' ? message : `${message}: ${last.slice(-200)}`
}

import { GsdError } from '../errors.ts'
import { activationOf } from '../loop/activation.ts'
import { findFamily } from '../loop/family/find-family.ts'
import { FAMILY_TIMEOUT, runFamilyProcess } from '../loop/family/run-family.ts'
import { quote } from '../redact.ts'
import type { FlagValues } from './command.ts'
import { openLoop } from './commands/loop/open-loop.ts'
import { FAMILY_FLAGS, type FamilyCall } from './family-call.ts'
import { parseFlags, splitArguments } from './flag-values.ts'
import { makeContext } from './make-context.ts'
import { openOutput } from './output.ts'
import type { Streams } from './streams.ts'

export interface FamilyFrame {
  readonly streams: Streams
  readonly signal: AbortSignal
  /** Called once it is certain that the family runs. */
  readonly guard: () => void
}

/**
 * Runs the command family that a line names, and returns its exit status; null where no capability has it.
 * @throws GsdError USAGE_*, OVERLAY_FAMILY_*, CONSENT_*, INTERRUPTED
 */
export const runFamilyCommand = async (
  { name, before, args }: FamilyCall,
  { streams, signal, guard }: FamilyFrame,
): Promise<number | null> => {
  const typed = splitArguments(before, FAMILY_FLAGS).flags
  const flags = parseFlags(typed, FAMILY_FLAGS) as FlagValues<typeof FAMILY_FLAGS>
  const context = makeContext({
    env: process.env,
    cwd: flags.cwd,
    project: flags.project,
    hostVersion: flags['host-version'],
    firstParty: flags['first-party'],
    offline: flags.offline,
    signal,
    report: streams.reporter.report,
  })
  const { registry, config, runtime } = await openLoop(context, {})
  if (!registry.commandFamilies.has(name)) return null
  guard()
  if (flags['dry-run'])
    throw new GsdError('USAGE_CONFLICT', `--dry-run cannot hold for ${quote(name)}, whose program does what it wants`, {
      hint: 'leave it out',
    })
  const activation = activationOf(registry, { config, runtime })
  const stdout = openOutput(1)
  const stderr = openOutput(2)
  return await runFamilyProcess(
    findFamily(registry, name, { activation, context }),
    {
      args,
      cwd: context.cwd,
      json: flags.json,
      timeout: timeoutOf(flags.timeout),
      onStdout: (chunk) => stdout.write(chunk),
      onStderr: (chunk) => stderr.write(chunk),
    },
    context,
  )
}

const LONGEST = 24 * 60 * 60

const timeoutOf = (seconds: string | undefined): number => {
  if (seconds === undefined) return FAMILY_TIMEOUT
  const value = Number(seconds)
  if (value > 0 && value <= LONGEST) return value * 1000
  throw new GsdError('USAGE_BAD_VALUE', `--timeout ${quote(seconds)} is not a number of seconds up to ${LONGEST}`, {
    hint: 'write --timeout=600',
  })
}

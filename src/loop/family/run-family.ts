import { existsSync } from 'node:fs'
import { GsdError } from '../../errors.ts'
import { distFilePaths } from '../../overlay/cache/built-in-registry.ts'
import { passTo } from '../../platform/process-output.ts'
import { ProcessError, runProgram } from '../../platform/process.ts'
import { quote } from '../../redact.ts'
import type { LoopContext } from '../loop-context.ts'
import { CHILD_FAILURES, type ChildRequest } from './child-protocol.ts'
import type { RunnableFamily } from './find-family.ts'

export interface FamilyRun {
  /** Words behind the family's own. */
  readonly args: readonly string[]
  readonly cwd: string
  /** Whether the router shall answer with JSON. */
  readonly json: boolean
  /** Milliseconds it may take. */
  readonly timeout: number
  readonly onStdout: (chunk: Buffer) => void
  readonly onStderr: (chunk: Buffer) => void
}

/** Ten minutes. */
export const FAMILY_TIMEOUT = 600_000

/**
 * Runs the router of a family in a node process of its own, so that it can neither hang nor end this one. Returns its
 * exit status.
 * @throws GsdError OVERLAY_FAMILY_FAILED when it throws, does not end in time or exports no router, INTERRUPTED
 */
export const runFamilyProcess = async (
  { family, module }: RunnableFamily,
  { args, cwd, json, timeout, onStdout, onStderr }: FamilyRun,
  { env, project, signal }: LoopContext,
): Promise<number> => {
  const request: ChildRequest = {
    module: module.path,
    sha512: module.sha512,
    router: family.router,
    input: { args, cwd, json, projectRoot: project?.root ?? null },
  }
  const failed = (what: string): GsdError =>
    new GsdError('OVERLAY_FAMILY_FAILED', `${quote(family.family)} ${what}`, {
      hint: `tell the author of the capability; its module is ${module.path}`,
    })
  try {
    const { status } = await runProgram({
      file: process.execPath,
      args: [childFile()],
      cwd,
      env,
      signal,
      timeout,
      input: JSON.stringify(request),
      stdout: passTo(onStdout),
      stderr: passTo(onStderr),
      endGroup: true,
    })
    if (status === null) throw failed('was ended by a signal')
    const failure = Object.entries(CHILD_FAILURES).find(([, { status: own }]) => own === status)
    if (failure !== undefined) throw failed(failure[1].words(family.router))
    return status
  } catch (error) {
    if (error instanceof ProcessError && error.reason === 'timeout')
      throw failed(`did not end within ${timeout / 1000} s`)
    throw error
  }
}

/** The file that the build makes of `child.ts`. */
const childFile = (): string => {
  const file = distFilePaths('family-child.js').find((path) => existsSync(path))
  if (file !== undefined) return file
  throw new GsdError('INTERNAL_ERROR', 'the program lacks its file "family-child.js"', {
    hint: 'install gsd-capability again',
  })
}

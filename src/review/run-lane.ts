import { rmSync } from 'node:fs'
import { errnoOf } from '../errors.ts'
import { ProcessError, runProgram, type ProcessResult } from '../platform/process.ts'
import { readTextFile } from '../platform/text-file.ts'
import { quote } from '../redact.ts'
import { listSessions, readNewSession } from './antigravity-transcript.ts'
import { findProgram } from './find-program.ts'
import { CallFailed, callServer } from './http-call.ts'
import { endOf, type LaneResult, safeText } from './lane-result.ts'
import type { Lane } from './lane.ts'
import type { HttpPlan, LaneFiles, LanePlan, SpawnPlan } from './plan-lane.ts'
import { firstModel, readChatAnswer, readOpencodeLines } from './read-answer.ts'

export interface RunContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

export interface LaneJob {
  readonly lane: Lane
  readonly plan: LanePlan
  readonly prompt: string
  readonly files: LaneFiles & { readonly stdout: string }
}

/** What a lane gave, before it is judged. */
type Outcome = Pick<LaneResult, 'text' | 'reason' | 'detail' | 'exitStatus' | 'truncated'>

/** Bytes of an answer that are kept. */
const MAX_OUTPUT = 8 * 1024 * 1024
/** A single argument of a program may not be longer on Linux. */
const MAX_ARGUMENT = 128 * 1024

/**
 * Runs one lane to its end within its time. White space is no review.
 * @throws GsdError INTERRUPTED
 */
export const runLane = async (
  job: LaneJob,
  context: RunContext,
): Promise<Omit<LaneResult, 'lane' | 'cut' | 'seconds'>> => {
  const { plan } = job
  const outcome = plan.transport === 'spawn' ? await runSpawn(plan, job, context) : await runRequest(plan, job, context)
  const text = safeText(outcome.text, context.env).trim()
  const detail = endOf(safeText(outcome.detail, context.env).trim())
  const failed = outcome.reason !== null || text === ''
  return failed
    ? { ...outcome, state: 'failed', text: '', detail, reason: outcome.reason ?? emptyReason(outcome) }
    : { ...outcome, state: 'reviewed', text, detail }
}

const emptyReason = ({ exitStatus }: Outcome): string =>
  exitStatus === null ? 'it ended without a review' : `it ended with status ${exitStatus} and without a review`

const failure = (reason: string, detail = ''): Outcome => ({
  text: '',
  reason,
  detail,
  exitStatus: null,
  truncated: false,
})

const runSpawn = async (
  plan: SpawnPlan,
  { lane, prompt, files }: LaneJob,
  { env, signal }: RunContext,
): Promise<Outcome> => {
  const file = findProgram(plan.program, env)
  if (file === null) return failure(`the program ${quote(plan.program)} is not on the PATH`)
  if (plan.args.includes(null) && Buffer.byteLength(prompt) >= MAX_ARGUMENT)
    return failure(
      `the prompt has ${Buffer.byteLength(prompt)} bytes, and an argument may have fewer than ${MAX_ARGUMENT}`,
    )
  const keepsTranscript = lane.handler === 'antigravity'
  const sessions = keepsTranscript ? listSessions(env) : []
  try {
    const result = await runProgram({
      file,
      args: plan.args.map((arg) => arg ?? prompt),
      cwd: files.root,
      env: { ...env, ...plan.env },
      signal,
      timeout: plan.timeoutMs,
      ...(plan.prompt === 'stdin' ? { input: prompt } : {}),
      stdout: { limit: MAX_OUTPUT, overflow: 'keep-start', file: files.stdout },
      endGroup: true,
    })
    const outcome = judgeResult(result, plan, { lane, output: files.output })
    return keepsTranscript && outcome.text.trim() === ''
      ? withTranscript(outcome, readNewSession(sessions, env))
      : outcome
  } catch (error) {
    if (error instanceof ProcessError) return processFailure(error, plan)
    // A prompt with a NUL, or one that the system refuses.
    if (errnoOf(error)?.startsWith('E') === true)
      return failure(`${quote(plan.program)} could not be started (${errnoOf(error) ?? ''})`)
    throw error
  }
}

/** agy may print nothing and keep its answer in its own files. */
const withTranscript = (outcome: Outcome, text: string): Outcome =>
  text.trim() === '' ? outcome : { ...outcome, text, reason: null }

const processFailure = (error: ProcessError, { program, timeoutMs }: SpawnPlan): Outcome => {
  const detail = error.result === null ? '' : `${error.result.stdout.toString('utf8')}\n${error.result.stderr}`
  return error.reason === 'timeout'
    ? failure(`it did not end within ${timeoutMs / 1000} s and was ended`, detail)
    : failure(`${quote(program)} could not be run (${error.reason})`, detail)
}

const judgeResult = (
  { status, signal, stdout, stderr, truncated }: ProcessResult,
  { output }: SpawnPlan,
  { lane, output: outputFile }: { readonly lane: Lane; readonly output: string },
): Outcome => {
  if (status === null) return failure(`it was ended by ${signal ?? 'a signal'}`, stderr)
  const exitStatus = status === 0 ? null : status
  const raw = output === 'file' ? readOutputFile(outputFile) : { text: stdout.toString('utf8'), reason: null }
  const { text, reason } = lane.handler === 'opencode' && raw.reason === null ? readOpencodeLines(raw.text) : raw
  // A status other than 0 says more than a missing text.
  const why = exitStatus !== null && text.trim() === '' ? `it ended with status ${exitStatus}${also(reason)}` : reason
  return {
    text,
    reason: why,
    detail: stderr.trim() === '' && text === '' ? stdout.toString('utf8') : stderr,
    exitStatus,
    truncated,
  }
}

const also = (reason: string | null): string => (reason === null ? '' : `; ${reason}`)

const readOutputFile = (file: string): { readonly text: string; readonly reason: string | null } => {
  const found = readTextFile(file, MAX_OUTPUT)
  rmSync(file, { force: true })
  if (found.state === 'ok') return { text: found.text, reason: null }
  return {
    text: '',
    reason: found.state === 'absent' ? 'it wrote no answer file' : `its answer file cannot be read: ${found.reason}`,
  }
}

const runRequest = async (plan: HttpPlan, { prompt }: LaneJob, { env, signal }: RunContext): Promise<Outcome> => {
  const deadline = performance.now() + plan.timeoutMs
  const limits = (): { env: RunContext['env']; signal: AbortSignal; timeoutMs: number; limit: number } => ({
    env,
    signal,
    timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
    limit: MAX_OUTPUT,
  })
  try {
    const model = await modelOf(plan, limits())
    if (model === null) return failure('no model is configured, and the server names none')
    const body = { model, messages: [{ role: 'user', content: prompt }], stream: false }
    const { status, text } = await callServer(plan.url, body, limits())
    if (status < 200 || status > 299) return failure(`the server answered with status ${status}`, text)
    const answer = readChatAnswer(text)
    return { ...failure(''), ...answer, detail: answer.reason === null ? '' : text }
  } catch (error) {
    if (error instanceof CallFailed) return failure(error.message)
    throw error
  }
}

const modelOf = async (plan: HttpPlan, limits: Parameters<typeof callServer>[2]): Promise<string | null> => {
  if (plan.modelsUrl === null) return plan.model
  try {
    const { status, text } = await callServer(plan.modelsUrl, undefined, limits)
    return (status === 200 ? firstModel(text) : null) ?? plan.model
  } catch (error) {
    if (error instanceof CallFailed) return plan.model
    throw error
  }
}

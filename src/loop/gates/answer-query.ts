import { setTimeout as sleep } from 'node:timers/promises'
import { GsdError } from '../../errors.ts'
import { cleanText, quote } from '../../redact.ts'
import type { Registry } from '../../registry/registry.ts'
import type { Activation } from '../activation.ts'
import { isObject } from '../config/value-type.ts'
import { findFamily } from '../family/find-family.ts'
import { runFamilyProcess } from '../family/run-family.ts'
import type { LoopContext } from '../loop-context.ts'
import type { GateInput } from './gate-input.ts'
import { block, failed, pass, type Outcome } from './outcome.ts'
import { registeredQuery, type Query } from './queries.ts'

const SECONDS = 30
/** Bytes of a family's answer; one that writes more is ended. */
const LONGEST_ANSWER = 1024 * 1024

/** Who may answer queries beside this process. */
export interface QuerySources {
  readonly registry: Registry
  readonly activation: Activation
  readonly context: LoopContext
}

/**
 * Answers the query of a gate: by the function registered for it, else by the active family that its first part names,
 * else nobody here can, and the verdict is `deferred` (loop page, "Gates").
 */
export const answerQuery = async (query: string, input: GateInput, sources: QuerySources): Promise<Outcome> => {
  const own = registeredQuery(query)
  if (own !== null) return await answerHere(query, own, input)
  const dot = query.indexOf('.')
  const family = dot === -1 ? query : query.slice(0, dot)
  const known = sources.registry.commandFamilies.get(family)
  if (known === undefined || sources.registry.capabilities.get(known.owner)?.dir == null) return deferred(query)
  return await answerByFamily(family, dot === -1 ? '' : query.slice(dot + 1), input, sources)
}

const answerHere = async (query: string, answer: Query, input: GateInput): Promise<Outcome> => {
  const { project, phaseDir, phaseNumber, phaseReqIds, signal } = input
  const over = new AbortController()
  const time = sleep(SECONDS * 1000, 'late' as const, { signal: over.signal, ref: true }).catch(() => 'late' as const)
  const work = (async () => answer({ query, project, phaseDir, phaseNumber, phaseReqIds, signal }))()
  try {
    const given = await Promise.race([work, time, aborted(signal, over.signal)])
    return given === 'late' ? failed(`the query did not answer within ${SECONDS} s`) : outcomeOf(given)
  } catch (error) {
    if (error instanceof GsdError && error.code === 'INTERRUPTED') throw error
    return failed(`the query failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    over.abort()
  }
}

const aborted = (signal: AbortSignal, over: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = (): void => reject(new GsdError('INTERRUPTED', 'interrupted'))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true, signal: over })
  })

const answerByFamily = async (
  family: string,
  rest: string,
  input: GateInput,
  { registry, activation, context }: QuerySources,
): Promise<Outcome> => {
  const chunks: Buffer[] = []
  let bytes = 0
  const tooLong = new AbortController()
  try {
    const found = findFamily(registry, family, { activation, context })
    const status = await runFamilyProcess(
      found,
      {
        args: ['query', ...(rest === '' ? [] : [rest])],
        cwd: input.project ?? context.global.realRoot,
        json: true,
        timeout: SECONDS * 1000,
        onStdout: (chunk) => {
          bytes += chunk.length
          if (bytes > LONGEST_ANSWER) tooLong.abort()
          else chunks.push(chunk)
        },
        onStderr: () => undefined,
      },
      {
        ...context,
        env: { ...context.env, ...phaseVariables(input) },
        signal: AbortSignal.any([input.signal, tooLong.signal]),
      },
    )
    if (tooLong.signal.aborted) return tooMuch(family)
    return status === 0
      ? outcomeOf(parsed(Buffer.concat(chunks).toString('utf8')))
      : failed(`${quote(family)} ended with ${status}`)
  } catch (error) {
    if (tooLong.signal.aborted && !input.signal.aborted) return tooMuch(family)
    if (error instanceof GsdError && error.code !== 'INTERRUPTED') return failed(error.message)
    throw error
  }
}

const tooMuch = (family: string): Outcome =>
  failed(`${quote(family)} answered with more than ${LONGEST_ANSWER / 1024} KiB`)

const phaseVariables = ({ phaseNumber, phaseDir, phaseReqIds }: GateInput) => ({
  PHASE_NUMBER: phaseNumber,
  PHASE_DIR: phaseDir ?? '',
  PHASE_REQ_IDS: phaseReqIds,
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** An answer may be wrapped, as the program's own are: `{ "ok": true, "data": … }`. */
const outcomeOf = (answer: unknown): Outcome => {
  const body = isObject(answer) && isObject(answer['data']) && !('block' in answer) ? answer['data'] : answer
  if (!isObject(body) || typeof body['block'] !== 'boolean')
    return failed('the query answered without saying whether it blocks')
  const message = cleanText(typeof body['message'] === 'string' ? body['message'] : '')
  const details = isObject(body['details']) ? body['details'] : {}
  return body['block'] ? block(message, details) : pass(message, details)
}

const deferred = (query: string): Outcome => ({
  verdict: 'deferred',
  message: `only the host can answer ${quote(query)}`,
  details: { query },
})

import { GsdError, interruptedError } from '../errors.ts'
import { TimedOut } from '../platform/http/http-error.ts'
import { findProxy } from '../platform/http/proxy.ts'
import { sendRequest } from '../platform/http/send-request.ts'
import { cleanText } from '../redact.ts'

export interface HttpCallOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Milliseconds in all. */
  readonly timeoutMs: number
  /** Bytes of the answer that are kept. */
  readonly limit: number
}

export interface HttpAnswer {
  readonly status: number
  readonly text: string
}

/** A request that got no whole answer; `message` is the reason, for a person. */
export class CallFailed extends Error {}

/**
 * One GET, or a POST of JSON. Follows no redirect: the host is the one that the user agreed to.
 * @throws CallFailed, GsdError INTERRUPTED
 */
export const callServer = async (
  url: string,
  body: unknown,
  { env, signal, timeoutMs, limit }: HttpCallOptions,
): Promise<HttpAnswer> => {
  if (signal.aborted) throw interruptedError()
  const late = AbortSignal.timeout(timeoutMs)
  const target = new URL(url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  try {
    const response = await sendRequest({
      url: target,
      headers: text === undefined ? {} : { 'content-type': 'application/json', 'content-length': byteLength(text) },
      proxy: findProxy(target, env),
      timeouts: { connect: Math.min(15_000, timeoutMs), idle: timeoutMs, total: timeoutMs },
      signal: AbortSignal.any([signal, late]),
      ...(text === undefined ? {} : { body: text }),
    })
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw new CallFailed(`the server sent more than ${limit} bytes`)
      chunks.push(chunk)
    }
    return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }
  } catch (error) {
    if (signal.aborted) throw interruptedError()
    if (error instanceof CallFailed) throw error
    if (late.aborted || error instanceof TimedOut)
      throw new CallFailed(`the server did not answer within ${timeoutMs / 1000} s`)
    throw new CallFailed(`the connection failed: ${reasonOf(error)}`)
  }
}

const byteLength = (text: string): string => String(Buffer.byteLength(text))

const reasonOf = (error: unknown): string =>
  error instanceof GsdError || error instanceof Error ? cleanText(error.message || error.name) : 'unknown'

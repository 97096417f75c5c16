import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { LineSplitter, parseLine } from './message-lines.ts'

/** Requests that are worked on at once; further ones wait in the pipe. */
const MOST_AT_ONCE = 16
/** How long answers may take after the client closed its end, in milliseconds. */
const LAST_ANSWERS = 10_000

/**
 * MCP over a pair of streams, with bounds: a line that is too long, no JSON or a batch is answered with an error; no more
 * is read while the client does not take its answers; and after the client closed its end, what it asked is still
 * answered. It ends when the client goes away.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  readonly #input: Readable
  readonly #output: Writable
  readonly #splitter = new LineSplitter()
  readonly #waiting: (string | null)[] = []
  /** Requests that were handed on, by the key of their id. */
  readonly #open = new Map<string, number>()
  #running = 0
  #isFull = false
  #isEnded = false
  #isClosed = false
  #deadline: NodeJS.Timeout | undefined

  #onClosed: () => void = () => undefined
  readonly #accepts: (message: unknown) => boolean

  /** @param accepts Whether the protocol knows a message of this shape; others would never be answered */
  constructor(input: Readable, output: Writable, accepts: (message: unknown) => boolean) {
    this.#input = input
    this.#output = output
    this.#accepts = accepts
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve
    })
  }

  start(): Promise<void> {
    this.#input.on('data', (chunk: Buffer) => {
      for (const line of this.#splitter.push(chunk)) this.#waiting.push(line)
      this.#work()
    })
    this.#input.on('end', () => this.#end())
    this.#input.on('close', () => this.#end())
    this.#input.on('error', () => this.#end())
    this.#output.on('error', () => void this.close())
    this.#output.on('drain', () => {
      this.#isFull = false
      this.#work()
    })
    return Promise.resolve()
  }

  send(message: JSONRPCMessage): Promise<void> {
    if ('id' in message && !('method' in message)) this.#answered(message.id)
    this.#write(message)
    // The client may be slow; the next message is then held back, not the one that was answered.
    setImmediate(() => this.#work())
    return Promise.resolve()
  }

  close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true
      clearTimeout(this.#deadline)
      this.#input.pause()
      this.#waiting.length = 0
      this.onclose?.()
      this.#onClosed()
    }
    return Promise.resolve()
  }

  /** Hands on what waits, as long as there is room for the answers. */
  #work(): void {
    while (this.#waiting.length > 0 && this.#hasRoom()) {
      const line = parseLine(this.#waiting.shift() ?? null)
      if (line?.kind === 'fault') this.#refuse(line.code, line.words)
      else if (line !== null) this.#hand(line.message)
    }
    if (this.#isClosed) return
    if (this.#waiting.length > 0 || this.#isFull) this.#input.pause()
    else if (!this.#isEnded) this.#input.resume()
    if (this.#isEnded && this.#waiting.length === 0 && this.#running === 0 && !this.#isFull) void this.close()
  }

  #hasRoom(): boolean {
    return !this.#isClosed && !this.#isFull && this.#running < MOST_AT_ONCE
  }

  #hand(message: Readonly<Record<string, unknown>>): void {
    const { id } = message
    const isRequest = 'id' in message && typeof message['method'] === 'string'
    if (!this.#accepts(message)) {
      return this.#refuse(-32600, 'is not JSON-RPC 2.0', typeof id === 'string' || typeof id === 'number' ? id : null)
    }
    if (isRequest) {
      this.#open.set(keyOf(id), (this.#open.get(keyOf(id)) ?? 0) + 1)
      this.#running += 1
    }
    try {
      this.onmessage?.(message as unknown as JSONRPCMessage)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
    if (message['method'] === 'notifications/cancelled') {
      const { requestId } = Object(message['params']) as { requestId?: unknown }
      this.#answered(requestId)
    }
  }

  #answered(id: unknown): void {
    const key = keyOf(id)
    const count = this.#open.get(key)
    if (count === undefined) return
    if (count === 1) this.#open.delete(key)
    else this.#open.set(key, count - 1)
    this.#running -= 1
  }

  #refuse(code: number, words: string, id: string | number | null = null): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message: `the message ${words}` } })
  }

  #write(message: unknown): void {
    if (this.#isClosed) return
    if (!this.#output.write(`${JSON.stringify(message)}\n`)) this.#isFull = true
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const rest = this.#splitter.end()
    if (rest !== null) this.#waiting.push(rest)
    this.#deadline = setTimeout(() => void this.close(), LAST_ANSWERS)
    this.#work()
  }
}

const keyOf = (id: unknown): string => `${typeof id} ${String(id)}`

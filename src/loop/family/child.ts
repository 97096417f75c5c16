import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { CHILD_FAILURES, LARGEST_STATUS, type ChildRequest, type RouterInput } from './child-protocol.ts'

/**
 * The program of a family's own process: reads its request, loads the module if it is still the one that was checked, and
 * ends with the status that the router returns.
 */
const run = async (): Promise<number> => {
  const { module, sha512, router, input } = JSON.parse(readFileSync(0, 'utf8')) as ChildRequest
  if (createHash('sha512').update(readFileSync(module)).digest('hex') !== sha512) return CHILD_FAILURES.changed.status
  const call = routerIn((await import(pathToFileURL(module).href)) as unknown, router)
  if (call === null) return CHILD_FAILURES.noExport.status
  const status = await call({ ...input, signal: ended.signal })
  if (status === undefined || status === null) return 0
  return typeof status === 'number' && Number.isInteger(status) && status >= 0 && status <= LARGEST_STATUS
    ? status
    : CHILD_FAILURES.badStatus.status
}

type Router = (input: RouterInput & { readonly signal: AbortSignal }) => unknown

/** A router is exported by its name, or is a member of the default export. */
const routerIn = (loaded: unknown, name: string): Router | null => {
  for (const holder of [loaded, memberOf(loaded, 'default')]) {
    const found = memberOf(holder, name)
    if (typeof found === 'function') return found as Router
  }
  return null
}

const memberOf = (holder: unknown, name: string): unknown =>
  (typeof holder === 'object' || typeof holder === 'function') && holder !== null && Object.hasOwn(holder, name)
    ? (holder as Readonly<Record<string, unknown>>)[name]
    : undefined

const ended = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => ended.abort())

// The work waits for what never comes: the process would end as if all were well.
process.once('beforeExit', () => process.exit(CHILD_FAILURES.unfinished.status))

let failing = false

/** Ends the process as failed, with what was thrown on standard error. Any value may be thrown, also one without a text. */
const fail = (thrown: unknown): void => {
  if (failing) process.exit(CHILD_FAILURES.threw.status)
  failing = true
  process.stderr.write(`${textOf(thrown)}\n`)
  end(CHILD_FAILURES.threw.status)
}

/** What a router printed may still wait for the reader of a pipe, and an exit would drop it. */
const end = (status: number): void => {
  process.stdout.write('', () => process.stderr.write('', () => process.exit(status)))
}

const textOf = (thrown: unknown): string => {
  try {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  } catch {
    return 'something was thrown that has no text'
  }
}

// What is thrown after the router's first await, or in a promise that nobody waits for, is a failure of the router too.
process.on('uncaughtException', fail)

run().then(end, fail)

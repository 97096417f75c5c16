import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { GsdError } from '../../src/errors.ts'
import { withLock } from '../../src/transaction/lock.ts'
import { makeTestContext } from './test-context.ts'

/**
 * A process of its own for the tests of the lock. Arguments: root folder, action, and a count or a duration.
 * `count`: adds one to a counter under the lock, so many times. `hold`: keeps the lock so many ms, and prints first.
 */
const [root = '', task = '', amount = ''] = process.argv.slice(2)
const { context } = makeTestContext(root)
const counter = `${root}/counter`

const count = async (): Promise<void> => {
  const now = Number(readFileSync(counter, 'utf8'))
  // Long enough for a process that ignores the lock to read the same number.
  await sleep(Math.random() * 4)
  writeFileSync(counter, String(now + 1))
}

const hold = async (): Promise<void> => {
  process.stdout.write('held\n')
  await sleep(Number(amount))
}

try {
  if (task === 'count') for (let i = 0; i < Number(amount); i += 1) await withLock(context, context.global, count)
  else await withLock(context, context.global, hold)
} catch (error) {
  process.stdout.write(`${error instanceof GsdError ? `${error.code} ${error.message}` : String(error)}\n`)
  process.exitCode = 1
}

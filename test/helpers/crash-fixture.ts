import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { FULL } from './full-run.ts'

/** For a test that looks at thousands of places, in milliseconds. */
export const CRASH_TIMEOUT = FULL ? 1_800_000 : 120_000

/** Where one test does its damage, and what is said at the end of how much was done. */
export interface CrashFixture {
  /** A path that does not exist yet, in a real folder of its own. */
  readonly root: string
  /** Adds places that were tried, and returns them. */
  readonly covered: (points: number) => number
}

/** @param what is counted, in the plural: `kill points` */
export const useCrashFixture = (what: string): CrashFixture => {
  let folder = ''
  let total = 0
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-crash-')))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  afterAll(
    () =>
      void process.stdout.write(`covered ${total} ${what}${FULL ? '' : '; npm run test:full covers all of them'}\n`),
  )
  return {
    get root() {
      return join(folder, 'world')
    },
    covered: (points) => {
      total += points
      return points
    },
  }
}

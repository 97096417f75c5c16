import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { FULL } from './full-run.ts'

/** For a test of thousands of points, in milliseconds. */
export const CRASH_TIMEOUT = FULL ? 1_800_000 : 120_000

/** The folder of one test, and a count of its points that is printed at the end. */
export interface CrashFixture {
  /** A path that does not exist yet, in a real folder of its own. */
  readonly root: string
  /** Adds points that were tried, and returns them. */
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

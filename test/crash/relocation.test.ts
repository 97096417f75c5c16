import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeContext } from '../../src/cli/make-context.ts'
import type { Context } from '../../src/context.ts'
import { removeEmptyFolders } from '../../src/platform/folders.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import { CRASH_TIMEOUT, useCrashFixture } from '../helpers/crash-fixture.ts'
import { FULL } from '../helpers/full-run.ts'
import { everyKillPoint } from '../helpers/kill-points.ts'
import { operationScenarios } from '../helpers/operation-scenarios.ts'

const room = useCrashFixture('kill points with the project moved before the recovery')

const NAMES = [
  'install the first capability in a project, with settings to be made',
  'update what made files in its folder',
  'remove the last capability of a project',
  'enable',
  'grant consent',
]
const QUICK = 17

/**
 * The next command runs in the folder the project was moved to. After a move back everything is as if it never moved:
 * the changes that were finished or undone there, and the records of host files.
 */
const recoverAfterMove = async (context: Context): Promise<void> => {
  const here = join(room.root, 'project')
  const movedTo = join(room.root, 'moved')
  renameSync(here, movedTo)
  const { project } = makeContext({
    ...context,
    cwd: movedTo,
    project: movedTo,
    hostVersion: undefined,
    firstParty: undefined,
  })
  await recoverAllScopes({ ...context, cwd: movedTo, project, report: () => undefined })
  renameSync(movedTo, here)
  await recoverAllScopes(context)
  // Killed before a journal lists the folders it created, an operation may leave an empty one.
  if (!existsSync(`${room.root}.start/project/.gsd`)) removeEmptyFolders(context.disk, [join(here, '.gsd')])
}

test.each(NAMES)(
  '%s: killed at any call, it is finished or undone in the folder the project was moved to',
  async (name) => {
    const scenario = operationScenarios(room.root)[name]
    if (scenario === undefined) throw new Error(name)
    const moving = { ...scenario, recover: recoverAfterMove }
    const { points } = await everyKillPoint(room.root, moving, { every: FULL ? 1 : QUICK })
    expect(room.covered(points)).toBeGreaterThan(3)
  },
  CRASH_TIMEOUT,
)

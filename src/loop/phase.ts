import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { isInside } from '../platform/real-path.ts'
import type { PhaseInput } from './gates/gate-input.ts'
import type { LoopContext } from './loop-context.ts'

/** What a host says of its phase. Empty texts say nothing: a host passes variables on that may not be set. */
export interface PhaseOptions {
  /** Folder of the phase: relative to the working directory, or else to the project. */
  readonly phaseDir?: string | undefined
  readonly phaseNumber?: string | number | undefined
  /** Ids of requirements. */
  readonly phaseReqIds?: string | readonly string[] | undefined
}

/** The phase as checks see it. */
export const phaseOf = (
  { phaseDir = '', phaseNumber = '', phaseReqIds = '' }: PhaseOptions,
  { project }: Pick<LoopContext, 'project'>,
  cwd: string,
): PhaseInput => ({
  project: project?.realRoot ?? null,
  phaseDir: phaseDir === '' ? null : folderOf(phaseDir, cwd, project),
  phaseNumber: String(phaseNumber),
  phaseReqIds: typeof phaseReqIds === 'string' ? phaseReqIds : phaseReqIds.join(','),
})

/** Seen from the real folder of the project, so that a link in it that leads out is seen to do so. */
const folderOf = (named: string, cwd: string, project: LoopContext['project']): string => {
  const here = resolve(cwd, named)
  if (project === null) return here
  if (isInside(here, project.root)) return resolve(project.realRoot, relative(project.root, here))
  return existsSync(here) ? here : resolve(project.realRoot, named)
}

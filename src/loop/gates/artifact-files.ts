import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../../platform/real-path.ts'
import type { PhaseInput } from './gate-input.ts'

/**
 * The files that an artefact stands for: regular files right in the phase's folder whose name is the artefact's or ends in
 * `-<name>`; where there is none, those right in the project. An artefact with folders in front lies in those. In the byte order of their names. A link that
 * leads out of the project (or, where the phase lies elsewhere, out of its folder) is not followed.
 */
export const artifactFiles = (artifact: string, { phaseDir, project }: PhaseInput): readonly string[] => {
  const own = phaseDir === null ? [] : filesIn(phaseDir, artifact, boundaryOf(phaseDir, project))
  return own.length > 0 || project === null ? own : filesIn(project, artifact, project)
}

/** The real folder that nothing may lead out of; null where the phase's folder itself does. */
const boundaryOf = (phaseDir: string, project: string | null): string | null => {
  const real = realPath(phaseDir)
  if (real === null || project === null || !isInside(phaseDir, project)) return real
  return isInside(real, project) ? project : null
}

const filesIn = (start: string, artifact: string, boundary: string | null): readonly string[] => {
  const slash = artifact.lastIndexOf('/')
  const name = artifact.slice(slash + 1)
  const folder = slash === -1 ? start : join(start, artifact.slice(0, slash))
  const real = realPath(folder)
  if (boundary === null || name === '' || real === null || !isInside(real, boundary)) return []
  return namesIn(folder)
    .filter((entry) => entry === name || entry.endsWith(`-${name}`))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .flatMap((entry) => regularFile(join(folder, entry), boundary) ?? [])
}

const regularFile = (path: string, boundary: string): string | null => {
  const stats = statsOf(path)
  if (stats?.isFile() === true) return path
  if (stats?.isSymbolicLink() !== true) return null
  const target = realPath(path)
  return target !== null && isInside(target, boundary) && statsOf(target)?.isFile() === true ? target : null
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const statsOf = (path: string): Stats | null => {
  try {
    return lstatSync(path)
  } catch {
    return null
  }
}

const realPath = (path: string): string | null => {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

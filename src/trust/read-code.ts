import type { Disclosure } from './disclosure.ts'
import { compareVersions, type FileDiff } from './file-diff.ts'

/** The code of a capability that was disclosed. */
export interface ShownCode {
  readonly id: string
  readonly files: readonly FileDiff[]
}

/** Files that are read at most; more are named without their text. */
const MAX_FILES = 1000

/**
 * The text of what runs, or a unified diff of each changed file where something was approved before.
 * @param paths default: the files that the disclosure names
 */
export const readCode = async (disclosure: Disclosure, paths = disclosure.code): Promise<ShownCode> => {
  const { id, readFile, readBefore } = disclosure
  if (readFile === undefined) return { id, files: [] }
  const files: FileDiff[] = []
  for (const path of paths.slice(0, MAX_FILES)) {
    const after = readFile(path)
    const before = readBefore === undefined ? after : readBefore(path)
    files.push(await compareVersions(path, before, after))
  }
  return { id, files }
}

/** Which lines of prose change, for each disclosure that has any. */
export const readProse = async (disclosures: readonly Disclosure[]): Promise<readonly ShownCode[]> => {
  const found: ShownCode[] = []
  for (const disclosure of disclosures)
    if (disclosure.prose.length > 0) found.push(await readCode(disclosure, disclosure.prose))
  return found
}

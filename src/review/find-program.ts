import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * The absolute path of a program on the PATH, or null. Relative entries of the PATH are left out: a program of the
 * reviewed project is not one of the user's.
 */
export const findProgram = (name: string, env: Readonly<Record<string, string | undefined>>): string | null => {
  if (name === '' || name.includes('/')) return null
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null
}

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

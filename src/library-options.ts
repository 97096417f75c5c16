import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { GsdError } from './errors.ts'
import { quote } from './redact.ts'
import { type ResolvedPaths, resolvePaths } from './state/config/resolve-paths.ts'

/** Options of the library that are texts, as a caller gives them whom no types hold back. */
export type TextOptions<Name extends string> = { readonly [name in Name]?: string }

/**
 * Reads options that are texts; null says the same as leaving one out.
 * @throws GsdError USAGE_BAD_VALUE
 */
export const readTextOptions = <Name extends string>(
  options: Readonly<Record<string, unknown>> | null | undefined,
  names: readonly Name[],
): TextOptions<Name> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = options?.[name] ?? undefined
      if (value === undefined) return []
      if (typeof value === 'string') return [[name, value]]
      throw new GsdError('USAGE_BAD_VALUE', `${name} is ${quote(value)}, which is no text`, {
        hint: 'leave it out, or give a text',
      })
    }),
  ) as TextOptions<Name>

export interface LibraryPaths {
  readonly home: string
  readonly paths: ResolvedPaths
  /** The project that was named and is not a folder; null: there is none such. */
  readonly missingProject: string | null
}

/** Where everything is for a call of the library. */
export const libraryPaths = (given: TextOptions<'home' | 'gsdHome' | 'project'>): LibraryPaths => {
  const home = given.home ?? homedir()
  const gsdHome = given.gsdHome ?? (given.home === undefined ? process.env['GSD_HOME'] : undefined)
  const named = given.project ?? null
  const project = named !== null && isFolder(named) ? named : null
  return {
    home,
    paths: resolvePaths({ cwd: workingDirectory(), home, gsdHome, project }),
    missingProject: named === null || project !== null ? null : named,
  }
}

/** Only relative paths start there; a folder that was deleted under the process is no reason to fail. */
export const workingDirectory = (): string => {
  try {
    return process.cwd()
  } catch {
    return '/'
  }
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

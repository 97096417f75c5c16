import { sep } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { realFileOf } from '../../host/real-file.ts'
import { quote } from '../../redact.ts'

/**
 * Refuses a file of a host that leads into a `.gsd`: what the program keeps there is not the host's, and an operation
 * that changes both would trip over itself.
 * @throws HOST_SETTINGS_FILE
 */
export const keepOut = ({ disk, user, global, project }: Context): ((path: string, real: string) => void) => {
  const folders = [user.gsd, global.gsd, ...(project === null ? [] : [project.gsd])]
  const own = [...new Set(folders)].map((folder) => realFileOf(disk, folder).file + sep)
  return (path, real) => {
    if (!own.some((folder) => real.startsWith(folder))) return
    throw new GsdError(
      'HOST_SETTINGS_FILE',
      `${quote(path)} leads to ${quote(real)}, where this program keeps its own`,
      {
        hint: 'put a regular file in its place, then run the command again; nothing was written',
        details: { file: path, real },
      },
    )
  }
}

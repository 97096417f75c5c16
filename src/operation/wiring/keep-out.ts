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
  let own: readonly string[] | null = null
  return (path, real) => {
    own ??= [...new Set(folders)].map((folder) => realFileOf(disk, folder).file + sep)
    if (!own.some((folder) => real.startsWith(folder))) return
    const [way, remedy] =
      path === real ? ['lies', 'name another file'] : [`leads to ${quote(real)},`, 'put a regular file in its place']
    throw new GsdError('HOST_SETTINGS_FILE', `${quote(path)} ${way} where this program keeps its own`, {
      hint: `${remedy}, then run the command again; nothing was written`,
      details: { file: path, real },
    })
  }
}

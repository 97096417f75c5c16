import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Deletes the files of a folder, at any depth, that are not among those named: what earlier builds left. */
export const removeOthers = (dir: string, named: ReadonlySet<string>): void => {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !named.has(path.slice(dir.length + 1).replaceAll('\\', '/'))) rmSync(path)
  }
}

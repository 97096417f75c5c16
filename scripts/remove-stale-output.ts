import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const CODE = /\.(c?js|d\.ts)$/

/** Deletes the code of a folder, at any depth, that is not among the files named: what earlier builds left. */
export const removeStaleOutput = (dir: string, named: ReadonlySet<string>): void => {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(dir.length + 1).replaceAll('\\', '/')
    if (entry.isFile() && CODE.test(entry.name) && !named.has(name)) rmSync(path)
  }
}

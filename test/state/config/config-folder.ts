import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** A folder of its own for each test; real path. */
export const scratch = { dir: '' }

beforeEach(() => {
  scratch.dir = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-config-')))
})
afterEach(() => {
  rmSync(scratch.dir, { recursive: true, force: true })
})

export const at = (...path: readonly string[]): string => join(scratch.dir, ...path)

/** Writes a file below the scratch folder, with its parent folders; a value that is not a string as JSON. */
export const write = (path: string, content: unknown): string => {
  const file = at(path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content))
  return file
}

export const folder = (...path: readonly string[]): string => {
  mkdirSync(at(...path), { recursive: true })
  return at(...path)
}

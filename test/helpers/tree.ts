import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Everything below a folder, one line each: path, kind, mode, content. Folders of the program's own (`.gsd` and below)
 * that are empty are left out: an empty skeleton may stay.
 */
export const treeOf = (root: string): string[] => walk(root, '')

const walk = (root: string, path: string): string[] => {
  const full = join(root, path)
  const stats = lstatSync(full)
  const mode = (stats.mode & 0o7777).toString(8)
  if (stats.isSymbolicLink()) return [`${path} -> ${readlinkSync(full)}`]
  if (!stats.isDirectory()) return [`${path} ${mode} ${JSON.stringify(readFileSync(full).toString('latin1'))}`]
  const below = readdirSync(full)
    .sort()
    .flatMap((name) => walk(root, join(path, name)))
  if (below.length === 0 && /(?:^|\/)\.gsd(?:\/|$)/.test(path)) return []
  return path === '' ? below : [`${path}/ ${mode}`, ...below]
}

/** What differs between two trees, for a message. */
export const differences = (expected: readonly string[], found: readonly string[]): string[] => [
  ...expected.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
  ...found.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`),
]

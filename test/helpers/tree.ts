import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'

export interface TreeOptions {
  /** Paths that are omitted with everything below. */
  readonly without?: readonly string[]
  /** Empty folders of the program's own (`.gsd` and below) are included as well. */
  readonly skeleton?: boolean
}

/**
 * Everything below a folder, one line each: path, kind, mode, content. Folders of the program's own (`.gsd` and below)
 * that are empty are omitted by default: an empty skeleton may stay.
 */
export const treeOf = (root: string, options: TreeOptions = {}): string[] => walk(root, '', options)

const walk = (root: string, path: string, options: TreeOptions): string[] => {
  if (options.without?.includes(path) === true) return []
  const full = join(root, path)
  const stats = lstatSync(full)
  const mode = (stats.mode & 0o7777).toString(8)
  if (stats.isSymbolicLink()) return [`${path} -> ${readlinkSync(full)}`]
  // Opening a FIFO would wait for its other end.
  if (!stats.isDirectory() && !stats.isFile()) return [`${path} ${mode} ${stats.isFIFO() ? 'FIFO' : 'special'}`]
  if (!stats.isDirectory()) return [`${path} ${mode} ${JSON.stringify(readFileSync(full).toString('latin1'))}`]
  const below = readdirSync(full)
    .sort()
    .flatMap((name) => walk(root, join(path, name), options))
  if (below.length === 0 && options.skeleton !== true && /(?:^|\/)\.gsd(?:\/|$)/.test(path)) return []
  return path === '' ? below : [`${path}/ ${mode}`, ...below]
}

/** The differences between two trees, for a message. */
export const differences = (expected: readonly string[], found: readonly string[]): string[] => [
  ...expected.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
  ...found.filter((line) => !expected.includes(line)).map((line) => `+ ${line}`),
]

/** Copies a tree into a folder that does not exist: files, folders, links and their modes. */
export const copyTree = (from: string, to: string): void => {
  const stats = lstatSync(from)
  if (stats.isSymbolicLink()) return symlinkSync(readlinkSync(from), to)
  if (!stats.isDirectory()) copyFileSync(from, to)
  else {
    mkdirSync(to)
    for (const name of readdirSync(from)) copyTree(join(from, name), join(to, name))
  }
  chmodSync(to, stats.mode & 0o7777)
}

import type { TreeEntry } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'

/** A file or link of a commit. */
export interface Blob extends TreeEntry {
  readonly oid: string
  /** Bytes; null where git was not asked for them. */
  readonly size: number | null
}

export interface ParsedTree {
  readonly blobs: readonly Blob[]
  /** Paths of submodules, of which a tree holds nothing but a name. */
  readonly submodules: readonly string[]
}

const SUBMODULE = '160000'

/** File kinds by the first digits of the mode; a tree's modes are octal. */
const TYPES: ReadonlyMap<string, TreeEntry['type']> = new Map([
  ['100', 'file'],
  ['120', 'symlink'],
])

/** Reads what `git ls-tree -rz [-l]` prints: `<mode> SP <type> SP <oid> [blanks <size>] TAB <path> NUL`. */
export const parseTree = (output: Buffer): ParsedTree => {
  const blobs: Blob[] = []
  const submodules: string[] = []
  for (let at = 0; at < output.length;) {
    const tab = output.indexOf(0x09, at)
    const end = output.indexOf(0x00, tab)
    const [mode = '', , oid = '', size = '-'] = output.toString('latin1', at, tab).split(/ +/)
    if (tab === -1 || end === -1 || !/^[0-9a-f]{40}$/.test(oid)) {
      throw new GsdError('FETCH_GIT', 'git lists a tree in a form that is not known')
    }
    const bytes = output.subarray(tab + 1, end)
    const path = bytes.toString('utf8')
    if (mode === SUBMODULE) submodules.push(path)
    else {
      blobs.push({
        path,
        isUtf8: Buffer.from(path).equals(bytes),
        type: TYPES.get(mode.slice(0, 3)) ?? 'other',
        executable: (Number.parseInt(mode, 8) & 0o100) !== 0,
        oid,
        size: /^\d+$/.test(size) ? Number(size) : null,
      })
    }
    at = end + 1
  }
  return { blobs, submodules }
}

import { isAscii } from 'node:buffer'
import type { TreeEntry } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { damagedObject } from './object-reader.ts'

/** An entry of one tree object. */
export interface GitTreeEntry {
  /** One path segment; bytes that are not UTF-8 are replaced. */
  readonly name: string
  readonly isUtf8: boolean
  readonly kind: 'tree' | 'submodule' | Extract<TreeEntry['type'], 'file' | 'symlink'>
  readonly executable: boolean
  readonly oid: string
}

const COMMIT = /^tree ([0-9a-f]{40})\n(?:parent [0-9a-f]{40}\n)*author [^\n]*\ncommitter [^\n]*\n/
const TAG = /^object ([0-9a-f]{40})\ntype (commit|tree|blob|tag)\ntag [^\n]+\n/

/** The tree of a commit object. @throws INTEGRITY_GIT_OBJECT */
export const treeOfCommit = (oid: string, content: Buffer): string => {
  const tree = COMMIT.exec(content.toString('latin1'))?.[1]
  if (tree === undefined) throw damagedObject('commit', oid, 'is malformed')
  return tree
}

/** What an annotated tag points to. @throws INTEGRITY_GIT_OBJECT */
export const targetOfTag = (oid: string, content: Buffer): { readonly oid: string; readonly type: string } => {
  const [, target, type] = TAG.exec(content.toString('latin1')) ?? []
  if (target === undefined || type === undefined) throw damagedObject('tag', oid, 'is malformed')
  return { oid: target, type }
}

/** `100664` was written by early versions of git. */
const KINDS: ReadonlyMap<string, GitTreeEntry['kind']> = new Map([
  ['40000', 'tree'],
  ['040000', 'tree'],
  ['100644', 'file'],
  ['100664', 'file'],
  ['100755', 'file'],
  ['120000', 'symlink'],
  ['160000', 'submodule'],
])
const OID_BYTES = 20
const MAX_MODE_LENGTH = 7

/**
 * Parses a tree object: `<mode> SP <name> NUL <20 bytes of id>`, repeated. Each name has to be one path segment.
 * @param label the source in messages
 * @throws INTEGRITY_GIT_OBJECT, ARCHIVE_UNSAFE
 */
export const parseTreeObject = (label: string, oid: string, content: Buffer): readonly GitTreeEntry[] => {
  const entries: GitTreeEntry[] = []
  const names = new Set<string>()
  for (let at = 0; at < content.length;) {
    const blank = content.indexOf(0x20, at)
    const end = content.indexOf(0x00, at)
    if (blank === -1 || end < blank || blank - at > MAX_MODE_LENGTH || end + 1 + OID_BYTES > content.length)
      throw damagedObject('tree', oid, 'is malformed')
    const mode = content.toString('latin1', at, blank)
    const bytes = content.subarray(blank + 1, end)
    const name = bytes.toString('utf8')
    const kind = KINDS.get(mode)
    if (kind === undefined) throw damagedObject('tree', oid, `has the mode ${quote(mode)} at ${quote(name)}`)
    const key = bytes.toString('latin1')
    const problem = names.has(key) ? 'occurs twice in a folder' : nameProblem(name)
    if (problem !== null) throw unsafeName(label, name, problem)
    names.add(key)
    entries.push({
      name,
      isUtf8: isAscii(bytes) || Buffer.from(name).equals(bytes),
      kind,
      executable: mode === '100755',
      oid: content.toString('hex', end + 1, end + 1 + OID_BYTES),
    })
    at = end + 1 + OID_BYTES
  }
  return entries
}

const nameProblem = (name: string): string | null => {
  if (name === '') return 'has no name'
  if (name === '.' || name === '..') return 'is not the name of a file'
  if (name.includes('/')) return 'is a path, not a name'
  return isGitFolder(name) ? 'is the name of a folder of git' : null
}

/** As file systems of macOS and Windows see it: without ignorable characters, case, streams, trailing dots and blanks. */
const isGitFolder = (name: string): boolean =>
  /^(?:\.git|git~1)[. ]*(?:$|:)/i.test(name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, ''))

const unsafeName = (label: string, name: string, problem: string): GsdError =>
  new GsdError('ARCHIVE_UNSAFE', `${quote(label)} cannot be used: its entry ${quote(name)} ${problem}`, {
    hint: 'git itself does not make such a tree: tell whoever runs the repository',
    details: { entry: name },
  })

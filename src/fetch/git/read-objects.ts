import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { Git } from './git.ts'
import { damagedObject, objectReader, type ObjectSink, type ObjectType, type WantedObject } from './object-reader.ts'
import { type GitTreeEntry, parseTreeObject, targetOfTag, treeOfCommit } from './parse-object.ts'

/** A commit with all of its tree objects, each hashed against its id. */
export interface CommitTrees {
  readonly commit: string
  readonly root: string
  /** Id → entries. */
  readonly trees: ReadonlyMap<string, readonly GitTreeEntry[]>
  /** Sizes of contents as git lists them; they are compared when the contents are read. */
  readonly sizes: ReadonlyMap<string, number>
}

export interface CommitTreesRequest {
  /** The source in messages. */
  readonly label: string
  /** Id of the commit, or of a tag of it. */
  readonly id: string
  /** The id must be that of the commit itself. */
  readonly isExact: boolean
  /** All contents are present, so their sizes can be listed. */
  readonly hasContents: boolean
}

/**
 * Reads a commit and all of its trees. The listing of `git ls-tree` only says which objects to request at once; what a
 * tree holds is read from the objects themselves.
 * @throws INTEGRITY_GIT_OBJECT, ARCHIVE_UNSAFE, ARCHIVE_TOO_LARGE, FETCH_NO_REF, FETCH_GIT
 */
export const readCommitTrees = async (git: Git, request: CommitTreesRequest): Promise<CommitTrees> => {
  const { id, label } = request
  const { treeIds, sizes } = await listTrees(git, request)
  const objects = new Map<string, StoredObject>()
  await readInto(git, objects, [{ name: id, type: null }, ...treeIds.map((name) => ({ name, type: 'tree' as const }))])
  const commit = await findCommit(git, objects, request)
  const root = treeOfCommit(commit, objects.get(commit)?.content ?? Buffer.alloc(0))
  const trees = new Map<string, readonly GitTreeEntry[]>()
  for (let next = [root]; next.length > 0;) {
    await readInto(
      git,
      objects,
      next.filter((oid) => !objects.has(oid)).map((name) => ({ name, type: 'tree' as const })),
    )
    for (const oid of next) trees.set(oid, parseTreeObject(label, oid, contentOf(objects, oid, 'tree')))
    const inner = next
      .flatMap((oid) => trees.get(oid) ?? [])
      .filter(({ kind, oid }) => kind === 'tree' && !trees.has(oid))
    next = [...new Set(inner.map(({ oid }) => oid))]
  }
  return { commit, root, trees, sizes }
}

/** Sends objects to a sink, each hashed against its id. @throws INTEGRITY_GIT_OBJECT, FETCH_GIT */
export const sendObjects = async (git: Git, wanted: readonly WantedObject[], sink: ObjectSink): Promise<void> => {
  if (wanted.length === 0) return
  const reader = objectReader(wanted, sink)
  const input = wanted.map(({ name }) => `${name}\n`).join('')
  await git.read(['cat-file', '--batch', '--buffer'], { input, onStdout: reader.write })
  reader.finish()
}

interface StoredObject {
  readonly type: ObjectType
  readonly content: Buffer
}

/** Bytes of all commits and trees together. */
const MAX_TREE_BYTES = 64 * 1024 * 1024

const readInto = async (
  git: Git,
  objects: Map<string, StoredObject>,
  wanted: readonly Pick<WantedObject, 'name' | 'type'>[],
): Promise<void> => {
  let header: { readonly oid: string; readonly type: ObjectType } | null = null
  let chunks: Buffer[] = []
  let total = [...objects.values()].reduce((sum, { content }) => sum + content.length, 0)
  await sendObjects(
    git,
    wanted.map((each) => ({ ...each, size: null })),
    {
      begin(_index, next) {
        total += next.size
        if (total > MAX_TREE_BYTES) throw tooManyTrees(git.url)
        header = next
        chunks = []
      },
      data: (chunk) => void chunks.push(Buffer.from(chunk)),
      end: () => {
        if (header !== null) objects.set(header.oid, { type: header.type, content: Buffer.concat(chunks) })
      },
    },
  )
}

const tooManyTrees = (url: string): GsdError =>
  new GsdError('ARCHIVE_TOO_LARGE', `${quote(url)} has too many folders to list`, {
    hint: 'install a packed archive instead',
  })

const contentOf = (objects: ReadonlyMap<string, StoredObject>, oid: string, type: ObjectType): Buffer => {
  const object = objects.get(oid)
  if (object?.type !== type) throw damagedObject(type, oid, `is a ${object?.type ?? 'missing object'}`)
  return object.content
}

/** Tags of tags. */
const MAX_TAG_DEPTH = 5

const findCommit = async (
  git: Git,
  objects: Map<string, StoredObject>,
  { id, isExact }: CommitTreesRequest,
): Promise<string> => {
  let at = id
  for (let depth = 0; depth <= MAX_TAG_DEPTH; depth++) {
    if (!objects.has(at)) await readInto(git, objects, [{ name: at, type: null }])
    const { type, content } = objects.get(at) ?? { type: 'object', content: Buffer.alloc(0) }
    if (type === 'commit') return at
    if (isExact) throw notACommit(git.url, at, type)
    if (type !== 'tag') break
    const target = targetOfTag(at, content)
    if (target.type !== 'commit' && target.type !== 'tag') throw notACommit(git.url, target.oid, target.type)
    at = target.oid
  }
  throw notACommit(git.url, at, objects.get(at)?.type ?? 'object')
}

const notACommit = (url: string, oid: string, type: string): GsdError =>
  new GsdError('FETCH_NO_REF', `${oid} is the id of a ${type} of ${quote(url)}, not of a commit`, {
    hint: 'use a ref that points to a commit, or the id that git rev-parse <tag>^{commit} prints',
  })

/** Ids of the trees and sizes of the contents, as git lists them; none where git cannot list them. */
const listTrees = async (git: Git, { id, hasContents }: CommitTreesRequest): Promise<TreeList> => {
  try {
    const sizes = hasContents ? ['-l'] : []
    const root = `${id}^{tree}`
    const list = parseTreeList(await git.read(['ls-tree', '-rtz', ...sizes, '--full-tree', root]))
    // git does not list the root itself.
    return { ...list, treeIds: [root, ...list.treeIds] }
  } catch (error) {
    if (error instanceof GsdError && UNLISTED.has(error.code)) return { treeIds: [], sizes: new Map() }
    throw error
  }
}

/** The objects themselves say what is wrong. */
const UNLISTED: ReadonlySet<string> = new Set(['FETCH_GIT', 'FETCH_NO_REF', 'FETCH_NOT_FOUND', 'INTEGRITY_GIT_OBJECT'])

interface TreeList {
  /** Also `<id>^{tree}`. */
  readonly treeIds: readonly string[]
  readonly sizes: ReadonlyMap<string, number>
}

const LINE = /^\d+ (tree|blob) ([0-9a-f]{40})(?: +(\d+|-))?$/

/** Parses `git ls-tree -rtz [-l]`: `<mode> SP <type> SP <oid> [blanks <size>] TAB <path> NUL`. */
export const parseTreeList = (output: Buffer): TreeList => {
  const treeIds = new Set<string>()
  const sizes = new Map<string, number>()
  for (let at = 0; at < output.length;) {
    const tab = output.indexOf(0x09, at)
    const end = output.indexOf(0x00, Math.max(tab, at))
    if (tab === -1 || end === -1) break
    const [, type, oid, size] = LINE.exec(output.toString('latin1', at, tab)) ?? []
    if (type === 'tree' && oid !== undefined) treeIds.add(oid)
    if (type === 'blob' && oid !== undefined && size !== undefined && size !== '-') sizes.set(oid, Number(size))
    at = end + 1
  }
  return { treeIds: [...treeIds], sizes }
}

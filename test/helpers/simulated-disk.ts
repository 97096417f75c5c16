import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** A file or folder, without its names: as programs see it now, and as it survives a power loss. */
type Node = FileNode | FolderNode | LinkNode
interface FileNode {
  readonly kind: 'file'
  now: Content
  synced: Content
}
interface Content {
  readonly bytes: Buffer
  readonly mode: number
}
interface FolderNode {
  readonly kind: 'folder'
  readonly mode: number
  readonly now: Map<string, Node>
  readonly synced: Map<string, Node>
}
interface LinkNode {
  readonly kind: 'link'
  readonly to: string
}
type Entries = (folder: FolderNode) => Map<string, Node>

interface DirectoryEntry {
  readonly folder: FolderNode
  readonly name: string
}

/** A change of names that is not synced yet. It is kept as soon as one of its folders is synced. */
interface Pending {
  readonly places: readonly DirectoryEntry[]
  readonly apply: (entries: Entries) => void
}

/** The unsynced changes that reached the disk. */
export interface PowerCutOutcome {
  readonly name: () => boolean
  readonly bytes: () => 'none' | 'some' | 'all'
}

/** One line of what survived: path and content. */
export type RemainingEntry = readonly [path: string, kind: Node['kind'], mode: number, content: string]

/**
 * The state of a tree after a power loss. Bytes and mode of a file are kept when the file is synced; a created, deleted
 * or moved name is kept when the folder, or one of both folders of the move, is synced: no rename is kept by half.
 */
export class SimulatedDisk {
  readonly #top: FolderNode
  readonly #root: string
  #pending: Pending[] = []
  readonly #open = new Map<number, Node>()

  /** Starts with the contents of `root`, all of it kept. */
  constructor(root: string) {
    this.#root = root
    this.#top = loadFolder(root)
  }

  opened(fd: number, path: string): void {
    const node = this.#find(path)
    if (node !== null) this.#open.set(fd, node)
  }

  created(fd: number, path: string, mode: number): void {
    const node: FileNode = { kind: 'file', now: { bytes: NOTHING, mode }, synced: { bytes: NOTHING, mode } }
    this.#put(path, node)
    this.#open.set(fd, node)
  }

  written(fd: number, bytes: Buffer): void {
    const node = this.#open.get(fd)
    if (node?.kind === 'file') node.now = { ...node.now, bytes: Buffer.concat([node.now.bytes, bytes]) }
  }

  changedMode(fd: number | string, mode: number): void {
    const node = typeof fd === 'number' ? this.#open.get(fd) : this.#find(fd)
    if (node?.kind === 'file') node.now = { ...node.now, mode }
  }

  made(path: string, mode: number): void {
    this.#put(path, { kind: 'folder', mode, now: new Map(), synced: new Map() })
  }

  linked(from: string, to: string): void {
    const node = this.#find(from)
    if (node !== null) this.#put(to, node)
  }

  removed(path: string): void {
    const place = this.#place(path)
    this.#change([place], (entries) => void entries(place.folder).delete(place.name))
  }

  moved(from: string, to: string): void {
    const node = this.#find(from)
    const [source, target] = [this.#place(from), this.#place(to)]
    if (node === null) return
    this.#change([source, target], (entries) => {
      entries(source.folder).delete(source.name)
      entries(target.folder).set(target.name, node)
    })
  }

  synced(what: number | string): void {
    const node = typeof what === 'number' ? this.#open.get(what) : this.#find(what)
    if (node?.kind === 'file') node.synced = node.now
    if (node?.kind !== 'folder') return
    const kept = withEarlier(this.#pending, ({ places: paths }) => paths.some(({ folder }) => folder === node))
    for (const { apply } of kept) apply((folder) => folder.synced)
    this.#pending = this.#pending.filter((each) => !kept.includes(each))
  }

  /** The state when the power returns. */
  afterPowerCut({ name, bytes }: PowerCutOutcome): RemainingEntry[] {
    const copies = new Map<FolderNode, Map<string, Node>>()
    const entries: Entries = (folder) => {
      const copy = copies.get(folder) ?? new Map(folder.synced)
      copies.set(folder, copy)
      return copy
    }
    for (const { apply } of withEarlier(this.#pending, () => name())) apply(entries)
    const walk = (path: string, node: Node): RemainingEntry[] => {
      if (node.kind === 'link') return [[path, 'link', 0, node.to]]
      if (node.kind === 'file') {
        const { bytes: content, mode } = contentAfterPowerCut(node, bytes)
        return [[path, 'file', mode, content.toString('latin1')]]
      }
      const below = [...(copies.get(node) ?? node.synced)].flatMap(([entry, child]) => walk(join(path, entry), child))
      return path === '' ? below : [[path, 'folder', node.mode, ''], ...below]
    }
    return walk('', this.#top)
  }

  #put(path: string, node: Node): void {
    const place = this.#place(path)
    this.#change([place], (entries) => void entries(place.folder).set(place.name, node))
  }

  #change(paths: readonly DirectoryEntry[], apply: Pending['apply']): void {
    apply((folder) => folder.now)
    this.#pending.push({ places: paths, apply })
  }

  #find(path: string): Node | null {
    if (path === this.#root) return this.#top
    if (!path.startsWith(`${this.#root}/`)) return null
    let node: Node | undefined = this.#top
    for (const name of path.slice(this.#root.length + 1).split('/'))
      node = node?.kind === 'folder' ? node.now.get(name) : undefined
    return node ?? null
  }

  #place(path: string): DirectoryEntry {
    const at = path.lastIndexOf('/')
    const folder = this.#find(path.slice(0, at))
    if (folder?.kind !== 'folder') throw new Error(`no folder for ${path}`)
    return { folder, name: path.slice(at + 1) }
  }
}

/** The requested changes, with every earlier one of the same names: one name has one history. */
const withEarlier = (pending: readonly Pending[], isAsked: (each: Pending) => boolean): Pending[] => {
  const kept = new Set<Pending>()
  const needed: DirectoryEntry[] = []
  for (const each of pending.toReversed()) {
    const isRequested = each.places.some(({ folder, name }) =>
      needed.some((place) => place.folder === folder && place.name === name),
    )
    if (!isRequested && !isAsked(each)) continue
    kept.add(each)
    needed.push(...each.places)
  }
  return pending.filter((each) => kept.has(each))
}

const NOTHING = Buffer.alloc(0)

const contentAfterPowerCut = ({ now, synced }: FileNode, bytes: PowerCutOutcome['bytes']): Content => {
  if (now === synced) return synced
  const random = bytes()
  if (random === 'none') return synced
  return random === 'all' ? now : { ...now, bytes: now.bytes.subarray(0, now.bytes.length / 2) }
}

const loadFolder = (path: string): FolderNode => {
  const entries = readdirSync(path).map((name): [string, Node] => [name, load(join(path, name))])
  return { kind: 'folder', mode: lstatSync(path).mode & 0o7777, now: new Map(entries), synced: new Map(entries) }
}

const load = (path: string): Node => {
  const stats = lstatSync(path)
  if (stats.isSymbolicLink()) return { kind: 'link', to: readlinkSync(path) }
  if (stats.isDirectory()) return loadFolder(path)
  const content = { bytes: readFileSync(path), mode: stats.mode & 0o7777 }
  return { kind: 'file', now: content, synced: content }
}

/** Writes what survived into an empty folder. */
export const restoreTree = (root: string, survivors: readonly RemainingEntry[]): void => {
  for (const [path, kind, mode, content] of survivors) {
    const full = join(root, path)
    if (kind === 'link') symlinkSync(content, full)
    else {
      if (kind === 'folder') mkdirSync(full)
      else writeFileSync(full, Buffer.from(content, 'latin1'))
      chmodSync(full, mode)
    }
  }
}

import { createHash, type Hash } from 'node:crypto'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** An object that is requested. */
export interface WantedObject {
  /** 40 hex digits, or what git resolves to an object, such as `<oid>^{tree}`. */
  readonly name: string
  /** Null: any type. */
  readonly type: ObjectType | null
  /** Bytes, where they were listed before; else null. */
  readonly size: number | null
}

/** The header of an object: its id is that of its content once `end` was called. */
export interface ObjectHeader {
  readonly oid: string
  readonly type: ObjectType
  readonly size: number
}

/** Receives the requested objects one after the other. */
export interface ObjectSink {
  begin(index: number, header: ObjectHeader): void
  /** Not to be kept. */
  data(chunk: Uint8Array): void
  /** The content is complete and has its id. */
  end(): void
}

/** Parses the output of `git cat-file --batch`, chunk by chunk, and hashes each object against its id. */
export interface ObjectReader {
  /** @throws INTEGRITY_GIT_OBJECT, FETCH_GIT, and what the sink throws */
  write(chunk: Buffer): void
  /** @throws INTEGRITY_GIT_OBJECT where an object is missing */
  finish(): void
}

/** `<oid> SP <type> SP <size> LF`, the content, LF. */
const HEADER = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d{1,15})$/
const LF = 0x0a
const MAX_HEADER = 4096

interface OpenObject {
  readonly header: ObjectHeader
  readonly hash: Hash
  left: number
}

export const objectReader = (wanted: readonly WantedObject[], sink: ObjectSink): ObjectReader => {
  let text = ''
  let open: OpenObject | null = null
  let count = 0

  const takeHeader = (chunk: Buffer, at: number): number => {
    const end = chunk.indexOf(LF, at)
    text += chunk.toString('latin1', at, end === -1 ? chunk.length : end)
    if (text.length > MAX_HEADER) throw unknownFormat(text.slice(0, 80))
    if (end === -1) return chunk.length
    const header = parseHeader(text, wanted[count])
    text = ''
    const hash = createHash('sha1').update(`${header.type} ${header.size}\0`)
    open = { header, hash, left: header.size }
    sink.begin(count, header)
    return end + 1
  }

  /** The content, then its LF. */
  const takeContent = (chunk: Buffer, at: number, object: OpenObject): number => {
    if (object.left > 0) {
      const end = Math.min(chunk.length, at + object.left)
      const part = chunk.subarray(at, end)
      object.hash.update(part)
      object.left -= part.length
      sink.data(part)
      return end
    }
    const { type, oid } = object.header
    if (object.hash.digest('hex') !== oid) throw damagedObject(type, oid, 'does not have the content of its id')
    sink.end()
    count += 1
    open = null
    return at + 1
  }

  return {
    write(chunk) {
      for (let at = 0; at < chunk.length;) at = open === null ? takeHeader(chunk, at) : takeContent(chunk, at, open)
    },
    finish() {
      const next = wanted[count]
      if (next !== undefined) throw damagedObject(next.type ?? 'object', next.name, 'is missing')
    },
  }
}

const parseHeader = (text: string, wanted: WantedObject | undefined): ObjectHeader => {
  const [, oid, type, size] = HEADER.exec(text) ?? []
  if (wanted !== undefined && text.endsWith(' missing'))
    throw damagedObject(wanted.type ?? 'object', wanted.name, 'is missing')
  if (oid === undefined || type === undefined || wanted === undefined) throw unknownFormat(text)
  const header: ObjectHeader = { oid, type: type as ObjectType, size: Number(size) }
  if (/^[0-9a-f]{40}$/.test(wanted.name) && wanted.name !== oid) throw unknownFormat(text)
  if (wanted.type !== null && wanted.type !== type) throw damagedObject(wanted.type, oid, `is a ${type}`)
  if (wanted.size !== null && wanted.size !== header.size)
    throw damagedObject(header.type, oid, `has ${header.size} bytes, and ${wanted.size} were listed`)
  return header
}

const unknownFormat = (text: string): GsdError =>
  new GsdError('FETCH_GIT', `git printed ${quote(text)} instead of an object`)

/** The error for an object that does not fit its id, or what refers to it. */
export const damagedObject = (type: ObjectType | 'object', name: string, what: string): GsdError =>
  new GsdError('INTEGRITY_GIT_OBJECT', `the git ${type} ${quote(name)} ${what}`, {
    hint: 'gsd capability cache clean, then try again; if it stays so, tell whoever runs the repository',
    details: { object: name },
  })

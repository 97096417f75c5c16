import { gzipSync } from 'node:zlib'

/** One entry of an archive of a test; any field may be wrong. */
export interface TarEntry {
  readonly path?: string
  /** Written instead of `path`, byte for byte. */
  readonly rawPath?: Buffer
  /** The type flag: '0' file, '1' hard link, '2' symbolic link, '5' folder, 'x' extended header, … */
  readonly flag?: string
  readonly body?: string | Buffer
  /** Stated in the header instead of the body's size. */
  readonly size?: number
  readonly mode?: number
  readonly link?: string
  /** Changes the header after it is written; the checksum is computed again. */
  readonly patch?: (header: Buffer) => void
  /** Keeps the checksum wrong. */
  readonly badChecksum?: boolean
}

const BLOCK = 512

/** Header, body and padding of one entry. */
export const tarEntry = (entry: TarEntry): Buffer => {
  const body = Buffer.from(entry.body ?? '')
  const header = Buffer.alloc(BLOCK)
  const path = entry.rawPath ?? Buffer.from(entry.path ?? 'file')
  path.copy(header, 0, 0, 100)
  header.write((entry.mode ?? 0o644).toString(8).padStart(7, '0'), 100)
  header.write('0000000', 108)
  header.write('0000000', 116)
  writeSize(header, entry.size ?? body.length)
  header.write('00000000000', 136)
  header.write(entry.flag ?? '0', 156)
  header.write(entry.link ?? '', 157)
  header.write('ustar\x0000', 257)
  entry.patch?.(header)
  sign(header, entry.badChecksum === true ? 1 : 0)
  return Buffer.concat([header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)])
}

const writeSize = (header: Buffer, size: number): void => {
  if (size < 8 ** 11) {
    header.write(size.toString(8).padStart(11, '0'), 124)
    return
  }
  header[124] = 0x80
  header.writeBigUInt64BE(BigInt(size), 128)
}

const sign = (header: Buffer, off: number): void => {
  header.fill(0x20, 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0) + off
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}

/** An extended header (`x`, or `g` for all later entries) with the given records. */
export const pax = (records: Readonly<Record<string, string | Buffer>>, flag: 'x' | 'g' = 'x'): Buffer =>
  tarEntry({
    path: 'PaxHeader',
    flag,
    body: Buffer.concat(Object.entries(records).map(([key, value]) => paxRecord(key, value))),
  })

export const paxRecord = (key: string, value: string | Buffer): Buffer => {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), Buffer.from(value), Buffer.from('\n')])
  let length = rest.length
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

/** A GNU long name for the next entry. */
export const longName = (name: string): Buffer =>
  tarEntry({ path: '././@LongLink', flag: 'L', body: Buffer.concat([Buffer.from(name), Buffer.alloc(1)]) })

/** The two blocks of zeros that end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK)

/** A tar of entries (as objects or as bytes), with a correct end. */
export const tar = (...entries: readonly (TarEntry | Buffer)[]): Buffer =>
  Buffer.concat([...entries.map((entry) => (Buffer.isBuffer(entry) ? entry : tarEntry(entry))), TAR_END])

/** The same, compressed. */
export const tgz = (...entries: readonly (TarEntry | Buffer)[]): Buffer => gzipSync(tar(...entries))

/** The smallest manifest that can replace a real one. */
export const MANIFEST_ENTRY: TarEntry = { path: 'capability.json', body: '{"id":"demo"}\n' }

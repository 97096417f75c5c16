import { BLOCK_SIZE } from './tar-header.ts'

/** One file as it stands in an archive that `pack` makes. */
export interface TarFile {
  readonly path: string
  readonly size: number
  readonly executable: boolean
}

// A time in the past that every unpacker takes: some warn about the year 1970.
const MTIME = Date.UTC(1985, 9, 26, 8, 15) / 1000
const NAME_LENGTH = 100
const PREFIX_LENGTH = 155

/**
 * The header blocks of a file: ustar, with an extended header in front where the path does not fit or is not ASCII.
 * Nothing of the machine is in it: no owner, no time, mode 0644 or 0755.
 */
export const formatTarHeader = (file: TarFile): Buffer => {
  const mode = file.executable ? 0o755 : 0o644
  const split = /^[\u0020-\u007e]*$/.test(file.path) ? splitPath(file.path) : null
  if (split !== null) return formatBlock({ ...split, mode, size: file.size, flag: '0' })
  const record = formatPaxRecord('path', file.path)
  const meta = formatBlock({ name: 'pax/path', prefix: '', mode: 0o644, size: record.length, flag: 'x' })
  const short = file.path.replaceAll(/[^\u0020-\u007e]/g, '_').slice(-NAME_LENGTH)
  return Buffer.concat([
    meta,
    record,
    tarPadding(record.length),
    formatBlock({ name: short, prefix: '', mode, size: file.size, flag: '0' }),
  ])
}

/** Zeros from the end of a content of `size` bytes to the next block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK_SIZE - (size % BLOCK_SIZE)) % BLOCK_SIZE)

/** Two blocks of zeros end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK_SIZE)

interface HeaderFields {
  readonly name: string
  readonly prefix: string
  readonly mode: number
  readonly size: number
  readonly flag: '0' | 'x'
}

const formatBlock = ({ name, prefix, mode, size, flag }: HeaderFields): Buffer => {
  const bytes = Buffer.alloc(BLOCK_SIZE)
  bytes.write(name, 0, NAME_LENGTH, 'latin1')
  bytes.write(formatOctal(mode, 7), 100, 'latin1')
  bytes.write(formatOctal(0, 7), 108, 'latin1')
  bytes.write(formatOctal(0, 7), 116, 'latin1')
  bytes.write(formatOctal(size, 11), 124, 'latin1')
  bytes.write(formatOctal(MTIME, 11), 136, 'latin1')
  bytes.write(' '.repeat(8), 148, 'latin1')
  bytes.write(flag, 156, 'latin1')
  bytes.write('ustar\x0000', 257, 'latin1')
  bytes.write(formatOctal(0, 7), 329, 'latin1')
  bytes.write(formatOctal(0, 7), 337, 'latin1')
  bytes.write(prefix, 345, PREFIX_LENGTH, 'latin1')
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${formatOctal(sum, 6)}\0 `, 148, 'latin1')
  return bytes
}

const formatOctal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** Where a long path can be cut so that both parts fit their fields, or null. */
const splitPath = (path: string): { readonly name: string; readonly prefix: string } | null => {
  if (path.length <= NAME_LENGTH) return { name: path, prefix: '' }
  const slash = path.indexOf('/', path.length - NAME_LENGTH - 1)
  if (slash <= 0 || slash > PREFIX_LENGTH) return null
  return { name: path.slice(slash + 1), prefix: path.slice(0, slash) }
}

/** `<length> <key>=<value>\n`; the length counts its own digits. */
const formatPaxRecord = (key: string, value: string): Buffer => {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  let length = bytes + String(bytes).length
  if (bytes + String(length).length !== length) length = bytes + String(length).length
  return Buffer.from(`${length}${rest}`)
}

import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

interface Format {
  readonly what: string
  readonly hint: string
  /** The hint where it came from the web. */
  readonly webHint?: string
  readonly is: (head: Buffer) => boolean
}

const startsWith =
  (...bytes: readonly number[]) =>
  (head: Buffer): boolean =>
    bytes.every((byte, at) => head[at] === byte)

const LOOK = 'open the address in a browser; a private download needs its access header in the configuration'
const REPACK = 'capabilities travel as .tgz: unpack it and run `gsd capability pack <dir>`'

/** What people hand over instead of a .tgz, by its first bytes. */
const FORMATS: readonly Format[] = [
  { what: 'is a zip file', hint: REPACK, is: startsWith(0x50, 0x4b) },
  {
    what: 'is an HTML page, perhaps a login or error page',
    hint: LOOK,
    is: (head) => /^\ufeff?\s*<(?:!doctype|html|\?xml|head|body)/i.test(head.toString('utf8')),
  },
  {
    what: 'is a tar file without compression',
    hint: 'compress it under another name: gzip -c <file> > <name>.tgz',
    is: (head) => head.toString('latin1', 257, 262) === 'ustar',
  },
  { what: 'is compressed with xz', hint: REPACK, is: startsWith(0xfd, 0x37, 0x7a, 0x58, 0x5a) },
  { what: 'is compressed with bzip2', hint: REPACK, is: startsWith(0x42, 0x5a, 0x68) },
  { what: 'is compressed with zstd', hint: REPACK, is: startsWith(0x28, 0xb5, 0x2f, 0xfd) },
  {
    what: 'is a pointer of git LFS, not the file it stands for',
    hint: 'get the file itself: run `git lfs pull` in the repository it comes from',
    is: (head) => head.toString('latin1').startsWith('version https://git-lfs.github.com/'),
  },
  {
    what: 'is a JSON document',
    hint: 'name the folder or the .tgz that holds it',
    webHint: LOOK,
    is: (head) => /^\ufeff?\s*[{[]/.test(head.toString('utf8')),
  },
]

const isGzip = startsWith(0x1f, 0x8b, 0x08)

/** Throws ARCHIVE_NOT_GZIP, saying what the file is instead. `head`: its first bytes, 512 where there are so many. */
export const expectGzip = (head: Buffer, file: string): void => {
  if (isGzip(head)) return
  if (head.length === 0) throw notGzip(file, 'is empty', 'download it again')
  const format = FORMATS.find((one) => one.is(head))
  const hint = (/^https?:/.test(file) ? format?.webHint : undefined) ?? format?.hint ?? REPACK
  throw notGzip(file, format?.what ?? 'is not a gzip file', hint)
}

const notGzip = (file: string, what: string, hint: string): GsdError =>
  new GsdError('ARCHIVE_NOT_GZIP', `${quote(file)} ${what}, where a .tgz is expected`, { hint })

import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

interface Format {
  readonly description: string
  readonly hint: string
  /** The hint where it came from the web. */
  readonly webHint?: string
  readonly matches: (head: Buffer) => boolean
}

const startsWith =
  (...bytes: readonly number[]) =>
  (head: Buffer): boolean =>
    bytes.every((byte, at) => head[at] === byte)

const DOWNLOAD_HINT = 'open the address in a browser; a private download needs its access header in the configuration'
const REPACK_HINT = 'capabilities travel as .tgz: unpack it and run `gsd capability pack <dir>`'

/** What people hand over instead of a .tgz, by its first bytes. */
const FORMATS: readonly Format[] = [
  { description: 'is a zip file', hint: REPACK_HINT, matches: startsWith(0x50, 0x4b) },
  {
    description: 'is an HTML page, perhaps a login or error page',
    hint: DOWNLOAD_HINT,
    matches: (head) => /^\ufeff?\s*<(?:!doctype|html|\?xml|head|body)/i.test(head.toString('utf8')),
  },
  {
    description: 'is a tar file without compression',
    hint: 'compress it under another name: gzip -c <file> > <name>.tgz',
    matches: (head) => head.toString('latin1', 257, 262) === 'ustar',
  },
  { description: 'is compressed with xz', hint: REPACK_HINT, matches: startsWith(0xfd, 0x37, 0x7a, 0x58, 0x5a) },
  { description: 'is compressed with bzip2', hint: REPACK_HINT, matches: startsWith(0x42, 0x5a, 0x68) },
  { description: 'is compressed with zstd', hint: REPACK_HINT, matches: startsWith(0x28, 0xb5, 0x2f, 0xfd) },
  {
    description: 'is a pointer of git LFS, not the file it stands for',
    hint: 'get the file itself: run `git lfs pull` in the repository it comes from',
    matches: (head) => head.toString('latin1').startsWith('version https://git-lfs.github.com/'),
  },
  {
    description: 'is a JSON document',
    hint: 'name the folder or the .tgz that holds it',
    webHint: DOWNLOAD_HINT,
    matches: (head) => /^\ufeff?\s*[{[]/.test(head.toString('utf8')),
  },
]

const isGzip = startsWith(0x1f, 0x8b, 0x08)

/** Throws ARCHIVE_NOT_GZIP, saying what the file is instead. `head`: its first bytes, 512 where there are so many. */
export const requireGzip = (head: Buffer, file: string): void => {
  if (isGzip(head)) return
  if (head.length === 0) throw notGzipError(file, 'is empty', 'download it again')
  const format = FORMATS.find((one) => one.matches(head))
  const hint = (/^https?:/.test(file) ? format?.webHint : undefined) ?? format?.hint ?? REPACK_HINT
  throw notGzipError(file, format?.description ?? 'is not a gzip file', hint)
}

const notGzipError = (file: string, what: string, hint: string): GsdError =>
  new GsdError('ARCHIVE_NOT_GZIP', `${quote(file)} ${what}, where a .tgz is expected`, { hint })

import type { HeaderData } from 'tar'
import type { AuditedFile } from '../archive/audit.ts'
import { BLOCK_SIZE } from '../archive/tar-header.ts'

/** The parts of an archive that `pack` writes beside the content of files. */
export interface TarFormat {
  /**
   * The header blocks of a file: ustar, after an extended header where the path does not fit or is not ASCII. They hold
   * nothing of the machine: no owner, no time, mode 0644 or 0755.
   */
  header(file: AuditedFile): Buffer
  /** Zeros from the end of a content of `size` bytes to the next block. */
  padding(size: number): Buffer
  /** Two blocks of zeros end an archive. */
  readonly end: Buffer
}

// Some unpackers warn about files from 1970.
const SHARED = { uid: 0, gid: 0, mtime: new Date(Date.UTC(1985, 9, 26, 8, 15)) }

/** Loads node-tar, which formats the headers. */
export const createTarFormat = async (): Promise<TarFormat> => {
  const [{ Header }, { Pax }] = await Promise.all([import('tar/header'), import('tar/pax')])

  const encode = (fields: HeaderData): { readonly block: Buffer; readonly isComplete: boolean } => {
    const block = Buffer.alloc(BLOCK_SIZE)
    const needsPax = new Header({ ...SHARED, ...fields }).encode(block)
    // A path that is split at a bad place comes back as another one, which `encode` does not report.
    return { block, isComplete: !needsPax && new Header(block).path === fields.path }
  }

  return {
    header({ path, size, executable }) {
      const fields: HeaderData = { path, size, mode: executable ? 0o755 : 0o644, type: 'File' }
      const { block, isComplete } = encode(fields)
      if (isComplete) return block
      const record = Buffer.from(new Pax({ path }).encodeBody())
      const meta = encode({ path: 'pax/path', size: record.length, mode: 0o644, type: 'ExtendedHeader' })
      const short = path.replaceAll(/[^\u0020-\u007e]/g, '_').slice(-99)
      return Buffer.concat([meta.block, record, padding(record.length), encode({ ...fields, path: short }).block])
    },
    padding,
    end: Buffer.alloc(2 * BLOCK_SIZE),
  }
}

const padding = (size: number): Buffer => Buffer.alloc((BLOCK_SIZE - (size % BLOCK_SIZE)) % BLOCK_SIZE)

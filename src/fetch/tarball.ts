import { constants } from 'node:fs'

import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { TarballSpec } from '../spec/spec.ts'
import type { Disk } from '../store/disk.ts'
import type { FetchContext, Fetched } from './fetched.ts'
import { notYet } from './not-yet.ts'
import { checkOverlap } from './overlap.ts'
import { notFetched, onSource } from './source-fault.ts'

/** Bytes. What may be unpacked at most (security, "Archives and trees"), with its headers, were it not compressed at all. */
export const LARGEST_ARCHIVE = 320 * 1024 * 1024

/** An archive: a file of this machine, where it is. */
export const fetchTarball = async (spec: TarballSpec, { disk, roots }: FetchContext): Promise<Fetched> => {
  if (spec.at.kind === 'url') return notYet('archives from the web')(spec)
  const { path } = spec.at
  const file = onSource(disk, path, () => disk.realpathSync(path))
  checkArchive(disk, file, path)
  checkOverlap(disk, { source: file, named: path, roots })
  return { source: { kind: 'archive', file }, path: null, resolved: { kind: 'tarball' }, known: [], notes: [] }
}

/** What is not a regular file is never opened: a FIFO would wait, a device might act. */
const checkArchive = (disk: Disk, file: string, named: string): void => {
  const stats = onSource(disk, named, () => disk.statSync(file))
  if (stats.isDirectory()) throw notFetched(named, 'is a folder', `to install the folder write ${named}/`)
  if (!stats.isFile()) throw notFetched(named, 'is not a regular file', 'copy the archive into an ordinary file')
  if (stats.size > LARGEST_ARCHIVE) {
    throw new GsdError(
      'ARCHIVE_TOO_LARGE',
      `${quote(named)} is ${stats.size} bytes; an archive has at most ${LARGEST_ARCHIVE}`,
      {
        hint: 'a bundle holds text and small scripts; leave out what is not needed',
      },
    )
  }
  onSource(disk, named, () => disk.closeSync(disk.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)))
}

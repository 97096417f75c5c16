import { constants } from 'node:fs'
import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { withoutSecretQuery } from '../spec/secret-query.ts'
import type { TarballSpec } from '../spec/spec.ts'
import type { Disk } from '../store/disk.ts'
import { findArtifact, type Artifact } from './cache/artifacts.ts'
import { notePin, readPin } from './cache/pins.ts'
import type { FetchContext, Fetched } from './fetched.ts'
import { LARGEST_ARCHIVE } from './largest-archive.ts'
import { PIN_FIRST, refuseOffline } from './offline.ts'
import { checkOverlap } from './overlap.ts'
import { notFetched, onSource } from './source-fault.ts'

/** An archive: a file of this machine, where it is, or one from the web, in the cache. */
export const fetchTarball = async ({ at }: TarballSpec, context: FetchContext): Promise<Fetched> =>
  at.kind === 'file' ? fetchFile(at.path, context) : fetchUrl(at.url, context)

/** What somebody stated the integrity of is the same wherever it comes from, so the cache may have it. */
const fetchUrl = async (url: string, context: FetchContext): Promise<Fetched> => {
  const { disk, cache, expected } = context
  context.allow?.({ kind: 'host', host: new URL(url).hostname, catalog: context.catalog })
  const artifact =
    (expected === null ? null : await findArtifact(disk, cache, expected)) ?? (await downloadUrl(url, context))
  return {
    source: { kind: 'archive', file: artifact.file, named: url },
    path: null,
    resolved: { kind: 'tarball', url: withoutSecretQuery(url) },
    known: [],
    notes: [],
  }
}

const downloadUrl = async (url: string, context: FetchContext): Promise<Artifact> => {
  const { disk, cache, offline, expected } = context
  const name = withoutSecretQuery(url)
  const seen = offline && expected === null ? readPin(disk, cache, name) : null
  refuseOffline(
    context,
    url,
    seen === null ? PIN_FIRST : `it may have changed; to install what was there last, add --integrity ${seen}`,
  )
  const { download } = await import('./http/download.ts')
  const artifact = await download({ url }, LARGEST_ARCHIVE, context)
  notePin(disk, cache, name, artifact.integrity)
  return artifact
}

const fetchFile = (path: string, { disk, roots }: FetchContext): Fetched => {
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

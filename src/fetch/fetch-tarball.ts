import { constants } from 'node:fs'
import { GsdError } from '../errors.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { stripQuerySecrets } from '../spec/query-secrets.ts'
import type { TarballSpec } from '../spec/spec.ts'
import { type Artifact, findArtifact, MAX_ARCHIVE_BYTES } from './cache/artifacts.ts'
import type { FetchContext, FetchResult } from './fetcher.ts'
import { checkOverlap, readSource, unusableSource } from './local-source.ts'
import { PIN_FIRST_HINT, refuseOffline } from './offline.ts'

/** An archive: a local file, used in place, or a download in the cache. */
export const fetchTarball = async ({ at }: TarballSpec, context: FetchContext): Promise<FetchResult> =>
  at.kind === 'file' ? fetchFile(at.path, context) : fetchUrl(at.url, context)

/** Content with a known integrity may come from the cache. */
const fetchUrl = async (url: string, context: FetchContext): Promise<FetchResult> => {
  const { disk, cache, expectedIntegrity } = context
  context.checkPolicy?.({ kind: 'host', host: new URL(url).hostname, catalog: context.viaCatalog })
  const artifact =
    (expectedIntegrity === null ? null : await findArtifact(disk, cache, expectedIntegrity)) ??
    (await downloadUrl(url, context))
  return {
    source: { kind: 'archive', file: artifact.file, displayName: url },
    path: null,
    resolved: { kind: 'tarball', url: stripQuerySecrets(url) },
    statedIntegrities: [],
    notes: [],
  }
}

const downloadUrl = async (url: string, context: FetchContext): Promise<Artifact> => {
  const { expectedIntegrity } = context
  refuseOffline(
    context,
    url,
    expectedIntegrity === null
      ? 'offline an archive is used by its integrity only: add --integrity sha512-…'
      : PIN_FIRST_HINT,
  )
  const { download } = await import('./download.ts')
  return download({ url }, MAX_ARCHIVE_BYTES, context)
}

const fetchFile = (path: string, { disk, scopeRoots }: FetchContext): FetchResult => {
  const file = readSource(disk, path, () => disk.realpathSync(path))
  checkArchiveFile(disk, file, path)
  checkOverlap(disk, { source: file, sourceText: path, roots: scopeRoots })
  return {
    source: { kind: 'archive', file },
    path: null,
    resolved: { kind: 'tarball' },
    statedIntegrities: [],
    notes: [],
  }
}

/** Only a regular file is opened: a FIFO would block, and a device might act. */
const checkArchiveFile = (disk: Disk, file: string, named: string): void => {
  const stats = readSource(disk, named, () => disk.statSync(file))
  if (stats.isDirectory()) throw unusableSource(named, 'is a folder', `to install the folder, name it ${named}/`)
  if (!stats.isFile()) throw unusableSource(named, 'is not a regular file', 'copy the archive to a regular file')
  if (stats.size > MAX_ARCHIVE_BYTES) {
    throw new GsdError(
      'ARCHIVE_TOO_LARGE',
      `${quote(named)} is ${stats.size} bytes; an archive has at most ${MAX_ARCHIVE_BYTES}`,
      {
        hint: 'a bundle holds text and small scripts; leave out everything else',
      },
    )
  }
  readSource(disk, named, () => disk.closeSync(disk.openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)))
}

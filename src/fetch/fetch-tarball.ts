import { constants } from 'node:fs'
import { GsdError } from '../errors.ts'
import type { Disk } from '../platform/disk.ts'
import { quote } from '../redact.ts'
import { stripQuerySecrets } from '../spec/query-secrets.ts'
import type { TarballSpec } from '../spec/spec.ts'
import {
  type Artifact,
  findArtifact,
  findKnownIntegrity,
  MAX_ARCHIVE_BYTES,
  recordIntegrity,
} from './cache/artifacts.ts'
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
  const { disk, cache, offline, expectedIntegrity } = context
  const name = stripQuerySecrets(url)
  const seen = offline && expectedIntegrity === null ? findKnownIntegrity(disk, cache, name) : null
  refuseOffline(
    context,
    url,
    seen === null ? PIN_FIRST_HINT : `it may have changed; to install the last known content, add --integrity ${seen}`,
  )
  const { download } = await import('./download.ts')
  const artifact = await download({ url }, MAX_ARCHIVE_BYTES, context)
  recordIntegrity(disk, cache, name, artifact.integrity)
  return artifact
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

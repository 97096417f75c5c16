import { basename, dirname } from 'node:path'
import { MANIFEST_FILE } from '../bundle/locate-bundle.ts'
import { quote } from '../redact.ts'
import type { LocalSpec } from '../spec/spec.ts'
import type { FetchContext, FetchResult } from './fetcher.ts'
import { checkOverlap } from './overlap.ts'
import { unusableSource, readSource } from './source-error.ts'

/** A folder of this machine, where it is; nothing is copied here. */
export const fetchLocal = async ({ path }: LocalSpec, { disk, scopeRoots }: FetchContext): Promise<FetchResult> => {
  const dir = readSource(disk, path, () => disk.realpathSync(path))
  const stats = readSource(disk, path, () => disk.statSync(dir))
  if (!stats.isDirectory()) {
    throw unusableSource(
      path,
      stats.isFile() ? 'is a file, not a folder' : 'is not a folder',
      basename(path) === MANIFEST_FILE
        ? `name its folder: ${quote(dirname(path))}`
        : 'the name of an archive ends in .tgz or .tar.gz',
    )
  }
  readSource(disk, path, () => disk.readdirSync(dir))
  checkOverlap(disk, { source: dir, sourceText: path, roots: scopeRoots })
  return { source: { kind: 'folder', dir }, path: null, resolved: { kind: 'local' }, statedIntegrities: [], notes: [] }
}

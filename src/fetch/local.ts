import { basename, dirname } from 'node:path'
import { MANIFEST } from '../bundle/locate.ts'
import { quote } from '../redact.ts'
import type { LocalSpec } from '../spec/spec.ts'
import type { FetchContext, Fetched } from './fetched.ts'
import { checkOverlap } from './overlap.ts'
import { notFetched, onSource } from './source-fault.ts'

/** A folder of this machine, where it is; nothing is copied here. */
export const fetchLocal = async ({ path }: LocalSpec, { disk, roots }: FetchContext): Promise<Fetched> => {
  const dir = onSource(disk, path, () => disk.realpathSync(path))
  const stats = onSource(disk, path, () => disk.statSync(dir))
  if (!stats.isDirectory()) {
    throw notFetched(
      path,
      stats.isFile() ? 'is a file, not a folder' : 'is not a folder',
      basename(path) === MANIFEST
        ? `name its folder: ${quote(dirname(path))}`
        : 'the name of an archive ends in .tgz or .tar.gz',
    )
  }
  onSource(disk, path, () => disk.readdirSync(dir))
  checkOverlap(disk, { source: dir, named: path, roots })
  return { source: { kind: 'folder', dir }, path: null, resolved: { kind: 'local' }, known: [], notes: [] }
}

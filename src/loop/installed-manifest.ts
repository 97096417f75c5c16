import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkManifest } from '../manifest/check-manifest.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { parseManifest } from '../manifest/parse-manifest.ts'
import { readTextFile } from '../platform/text-file.ts'
import type { Registry, Row } from '../registry/registry.ts'
import type { LoopContext } from './loop-context.ts'

const MAX_MANIFEST_BYTES = 1024 * 1024

/** The manifest of a capability that takes no part: as it was read, else as it is on disk; null where it cannot be read. */
export const excludedManifest = (
  registry: Pick<Registry, 'excluded'>,
  { id, scope }: Pick<Row, 'id' | 'scope'>,
  { global, project }: LoopContext,
): Manifest | null => {
  const known = registry.excluded.find(({ manifest, origin }) => manifest.id === id && origin === scope)
  if (known !== undefined) return known.manifest
  const paths = scope === 'project' ? project : scope === 'global' ? global : null
  if (paths === null) return null
  const file = join(paths.capabilities, id, 'capability.json')
  if (readTextFile(file, MAX_MANIFEST_BYTES).state !== 'ok') return null
  return checkManifest(parseManifest(readFileSync(file), { file }), { forLoading: true }).manifest
}

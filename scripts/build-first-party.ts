import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { checkManifest } from '../src/manifest/check-manifest.ts'
import type { Manifest } from '../src/manifest/manifest.ts'
import { parseManifest } from '../src/manifest/parse-manifest.ts'
import { BUILT_IN_FILE, BUILT_IN_KEY } from '../src/overlay/cache/built-in-registry.ts'
import { encodeSnapshot } from '../src/overlay/cache/snapshot-file.ts'
import { registrySections } from '../src/overlay/cache/snapshot-registry.ts'
import { StatTracker } from '../src/overlay/cache/stat-tracker.ts'
import { listFolders } from '../src/overlay/discover.ts'
import { type FirstPartyArtifact, usableOverlay } from '../src/overlay/first-party.ts'
import { composeScopes } from '../src/overlay/loaded-registry.ts'
import { readFragments } from '../src/overlay/read-fragments.ts'
import { validateCrossCapability } from '../src/registry/validate-cross-capability.ts'

/**
 * Turns the folder of first-party capabilities into what the program reads: minified JSON with the fragments inside, and
 * beside it the same composed, for where nothing else is installed. Any error or warning ends the build (rule 48); skills, agents and command modules belong to the host and are not looked
 * for.
 */
export const buildFirstParty = (folder: string, out: string): void => {
  const { artifact, problems } = firstPartyArtifact(folder)
  if (problems.length > 0) throw new Error(`the first-party capabilities are not in order:\n${problems.join('\n')}`)
  mkdirSync(dirname(out), { recursive: true })
  writeFileSync(out, JSON.stringify(artifact))
  const loaded = composeScopes({ overlays: artifact.capabilities.map(usableOverlay), warnings: [] }, [])
  writeFileSync(join(dirname(out), BUILT_IN_FILE), encodeSnapshot(BUILT_IN_KEY, registrySections(loaded)))
}

/** The artifact, and everything that is wrong with the set, as lines. */
export const firstPartyArtifact = (
  folder: string,
): { readonly artifact: FirstPartyArtifact; readonly problems: readonly string[] } => {
  const problems: string[] = []
  const tracker = new StatTracker(0)
  const { folders, refusal } = listFolders(tracker, folder, { links: false })
  if (refusal !== null) problems.push(refusal.reason)
  if (folders.length === 0) problems.push(`${folder} holds no capability`)
  const capabilities = folders.flatMap(({ folder: id, dir }) => {
    const { manifest, diagnostics } = manifestIn(dir, id)
    for (const it of diagnostics) problems.push(`${it.file}:${it.line}:${it.column}: ${it.code}: ${it.message}`)
    if (manifest === null) return []
    const fragments = readFragments(tracker, dir, manifest)
    if (!('code' in fragments)) return [{ manifest: withoutSchema(manifest), fragments: fragments.texts }]
    problems.push(`${dir}: ${fragments.reason}`)
    return []
  })
  for (const it of validateCrossCapability(capabilities.map(({ manifest }) => manifest)))
    problems.push(`${it.id}${it.path}: ${it.code}: ${it.message}`)
  return { artifact: { capabilities }, problems }
}

const manifestIn = (dir: string, id: string) => {
  const file = join(dir, 'capability.json')
  return checkManifest(parseManifest(readFileSync(file), { file }), { firstParty: true, folder: id })
}

/** The reference serves editors only. */
const withoutSchema = (manifest: Manifest): Manifest => {
  const { $schema: _, ...rest } = manifest as Manifest & { readonly $schema?: string }
  return rest
}

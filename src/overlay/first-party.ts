import type { HostVersion } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { Candidate } from '../registry/registry.ts'
import type { StatTracker } from './cache/stat-tracker.ts'
import { listFolders } from './discover.ts'
import { distFilePaths } from './dist-files.ts'
import type { Overlay } from './overlay.ts'
import { readOverlay } from './read-overlay.ts'

/** The first-party set as the build writes it: manifests that passed every rule, with the texts of their fragments. */
export interface FirstPartyArtifact {
  readonly capabilities: readonly {
    readonly manifest: Manifest
    readonly fragments: Readonly<Record<string, string>>
  }[]
}

export interface FirstPartySet {
  readonly overlays: readonly Overlay[]
  readonly warnings: readonly Diagnostic[]
}

/** The set that came with the program. Checked when it was built, so it is taken as it stands. */
export const readBuiltInSet = (tracker: StatTracker): FirstPartySet => {
  for (const file of distFilePaths('first-party.json')) {
    const stat = tracker.lstat(file)
    if (typeof stat === 'string') continue
    try {
      const { capabilities } = JSON.parse(tracker.read(file, stat.size).toString('utf8')) as FirstPartyArtifact
      return { overlays: capabilities.map(usableOverlay), warnings: [] }
    } catch {
      return missingSet(file)
    }
  }
  return missingSet(distFilePaths('first-party.json')[0] ?? '')
}

/** A capability of the artifact. */
export const usableOverlay = ({ manifest, fragments }: FirstPartyArtifact['capabilities'][number]): Overlay => {
  const candidate: Candidate = { manifest, origin: 'first-party', dir: null, fragments }
  return { kind: 'usable', id: manifest.id, candidate }
}

const missingSet = (file: string): FirstPartySet => {
  const hint = 'install gsd-capability again'
  return {
    overlays: [],
    warnings: [
      diagnostic(
        'warning',
        'OVERLAY_FIRST_PARTY',
        `the first-party capabilities of this program cannot be read from ${quote(file)}`,
        { file, hint },
      ),
    ],
  }
}

/** Another first-party set, from a folder of folders. The rules for what a host ships hold: reserved ids are allowed. */
export const readSetInFolder = (tracker: StatTracker, dir: string, hostVersion: HostVersion): FirstPartySet => {
  const { folders, refusal } = listFolders(tracker, dir, { links: true })
  const options = { tracker, origin: 'first-party', hostVersion, gate: () => null } as const
  const why =
    refusal ??
    (tracker.lstat(dir) === 'ENOENT'
      ? { code: 'OVERLAY_UNREADABLE' as const, reason: `${quote(dir)} does not exist` }
      : null)
  return {
    overlays: folders.map((folder) => readOverlay(folder, options)),
    warnings:
      why === null
        ? []
        : [
            diagnostic('warning', why.code, `first-party capabilities: ${why.reason}`, {
              file: dir,
              hint: 'name a folder that holds one folder for each capability',
            }),
          ],
  }
}

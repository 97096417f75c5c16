import type { HostVersion } from '../context.ts'
import { diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { Candidate } from '../registry/registry.ts'
import { distFilePaths } from './cache/built-in-registry.ts'
import type { StatTracker } from './cache/stat-tracker.ts'
import { listFolders } from './discover.ts'
import type { FirstPartySet, Overlay } from './overlay.ts'
import { createEngineCheck, readOverlay } from './read-overlay.ts'

/** The first-party set as the build writes it: valid manifests with the texts of their fragments. */
export interface FirstPartyArtifact {
  readonly capabilities: readonly {
    readonly manifest: Manifest
    readonly fragments: Readonly<Record<string, string>>
  }[]
}

/** The set that is part of the program. It was checked when the program was built. */
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

export const usableOverlay = ({ manifest, fragments }: FirstPartyArtifact['capabilities'][number]): Overlay => {
  const candidate: Candidate = { manifest, origin: 'first-party', dir: null, fragments }
  return { kind: 'usable', id: manifest.id, candidate }
}

const missingSet = (file: string): FirstPartySet => {
  const hint = 'reinstall gsd-capability'
  return {
    overlays: [],
    warnings: [
      diagnostic(
        'warning',
        'OVERLAY_FIRST_PARTY',
        `cannot read the first-party capabilities of this program from ${quote(file)}`,
        { file, hint },
      ),
    ],
  }
}

/** Another first-party set: a folder with one folder for each capability. Reserved ids are allowed, as for the built-in set. */
export const readSetInFolder = (tracker: StatTracker, dir: string, hostVersion: HostVersion): FirstPartySet => {
  const { folders, refusal } = listFolders(tracker, dir, { links: true })
  const engines = createEngineCheck(hostVersion)
  const options = { tracker, origin: 'first-party', engines, gate: () => null } as const
  const problem =
    refusal ??
    (tracker.lstat(dir) === 'ENOENT'
      ? { code: 'OVERLAY_UNREADABLE' as const, reason: `${quote(dir)} does not exist` }
      : null)
  return {
    overlays: folders.map((folder) => readOverlay(folder, options)),
    warnings:
      problem === null
        ? []
        : [
            diagnostic('warning', problem.code, `first-party capabilities: ${problem.reason}`, {
              file: dir,
              hint: 'name a folder that contains one folder for each capability',
            }),
          ],
  }
}

import type { HostVersion } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { Candidate } from '../registry/registry.ts'
import { builtFiles } from './built-files.ts'
import { listFolders } from './discover.ts'
import type { Overlay } from './overlay.ts'
import { readOverlay } from './read-overlay.ts'
import type { Witness } from './witness.ts'

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
export const builtInSet = (witness: Witness): FirstPartySet => {
  for (const file of builtFiles('first-party.json')) {
    const look = witness.lstat(file)
    if (typeof look === 'string') continue
    try {
      const { capabilities } = JSON.parse(witness.read(file, look.size).toString('utf8')) as FirstPartyArtifact
      return { overlays: capabilities.map(usable), warnings: [] }
    } catch {
      return missing(file)
    }
  }
  return missing(builtFiles('first-party.json')[0] ?? '')
}

/** A capability of the artifact. */
export const usable = ({ manifest, fragments }: FirstPartyArtifact['capabilities'][number]): Overlay => {
  const candidate: Candidate = { manifest, origin: 'first-party', dir: null, fragments }
  return { kind: 'usable', id: manifest.id, candidate }
}

const missing = (file: string): FirstPartySet => {
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
export const setInFolder = (witness: Witness, dir: string, hostVersion: HostVersion): FirstPartySet => {
  const { found, refused } = listFolders(witness, dir, { links: true })
  const options = { witness, origin: 'first-party', hostVersion, gate: () => null } as const
  const why =
    refused ??
    (witness.lstat(dir) === 'ENOENT'
      ? { code: 'OVERLAY_UNREADABLE' as const, reason: `${quote(dir)} does not exist` }
      : null)
  return {
    overlays: found.map((folder) => readOverlay(folder, options)),
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

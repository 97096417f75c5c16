import { existsSync } from 'node:fs'
import { readBundleFacts } from '../overlay/bundle-facts.ts'
import { checkConsent } from '../overlay/check-consent.ts'
import type { LoadError } from '../overlay/overlay.ts'
import type { Candidate } from '../registry/registry.ts'
import { readGrants } from '../state/grants.ts'
import type { LoopContext } from './loop-context.ts'

/**
 * Whether the user's consent covers what a capability runs, as its files are at this moment: null, or why not. Its
 * surfaces are taken from the manifest that was loaded, so a command that is run is one that was shown. What comes with
 * the program needs no consent.
 */
export const consentNow = (
  { manifest, origin, dir }: Candidate,
  { user, global, project, disk }: LoopContext,
): LoadError | null => {
  const paths = origin === 'global' ? global : origin === 'project' ? project : null
  if (paths === null || dir === null) return null
  return checkConsent({ folder: manifest.id, dir }, manifest, {
    paths,
    consents: readGrants(disk, user),
    factsOf: (folder, checked) => readBundleFacts(disk, folder, checked),
    exists: existsSync,
  })
}

import { existsSync } from 'node:fs'
import type { Context } from '../context.ts'
import { readBundleFacts } from '../overlay/bundle-facts.ts'
import { checkConsent } from '../overlay/check-consent.ts'
import { quote } from '../redact.ts'
import type { Registry } from '../registry/registry.ts'
import { consentKey, consentSubject, readGrants } from '../state/grants.ts'
import type { LaneConsent } from './resolve-lanes.ts'

/** What of the program's context the consent of lanes depends on. */
export type ConsentContext = Pick<Context, 'user' | 'global' | 'project' | 'disk'>

/**
 * Consent as it is at this moment: for everything that the overlay runs, which includes program, arguments, channels and
 * probe of its lane, and for the host that the configuration sends its plans to.
 */
export const laneConsent = (registry: Registry, { user, global, project, disk }: ConsentContext): LaneConsent => ({
  refusal(owner, slug, host) {
    const candidate = registry.capabilities.get(owner)
    const paths = candidate?.origin === 'global' ? global : candidate?.origin === 'project' ? project : null
    if (candidate === undefined || candidate.dir === null || paths === null) return null
    const grants = readGrants(disk, user)
    const { manifest, dir } = candidate
    const refused = checkConsent({ folder: manifest.id, dir }, manifest, {
      paths,
      consents: grants,
      factsOf: (folder, checked) => readBundleFacts(disk, folder, checked),
      exists: existsSync,
    })
    if (refused !== null) return `${refused.reason}; to agree: ${refused.hint ?? ''}`
    if (host === null || grants.state !== 'ok') return null
    const subject = consentSubject(paths)
    const record = grants.value.byKey.get(consentKey(subject.scope, subject.project, owner))
    const agreed = record?.hosts !== undefined && Object.hasOwn(record.hosts, slug) ? record.hosts[slug] : undefined
    if (agreed === host) return null
    return `it would send plans to ${quote(host)}, but you agreed to ${agreed == null ? 'no host' : quote(agreed)}; to agree: gsd capability trust grant ${owner} --scope ${paths.scope}`
  },
})

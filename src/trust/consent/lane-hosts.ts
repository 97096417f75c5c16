import type { Context } from '../../context.ts'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { CENTRAL_KEYS } from '../../manifest/central-keys.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import { configValue, type DeclaredKey } from '../../state/config/config-value.ts'
import { readProjectConfig } from '../../state/config/project-config.ts'
import { readUserConfig } from '../../state/config/user-config.ts'
import type { ConsentRecord } from '../../state/grants.ts'
import type { Surface } from '../surface.ts'

/** Network lane → host that its plans are sent to by the current configuration; null: none yet. */
export const resolveLaneHosts = (
  context: Context,
  manifest: Manifest,
  surfaces: readonly Surface[],
): Readonly<Record<string, string | null>> => {
  const lanes = surfaces.flatMap((surface) => (surface.kind === 'lane-http' ? [surface] : []))
  if (lanes.length === 0) return {}
  const layers = {
    project: context.project === null ? null : readProjectConfig(context.project.root),
    user: readUserConfig(context.user.config),
  }
  const hostOf = (key: string | null, otherwise: string | null): string | null => {
    const value = key === null ? undefined : configValue(key, findDeclaredKey(manifest, key), layers).value
    return typeof value === 'string' && value !== '' ? value : otherwise
  }
  return Object.fromEntries(lanes.map(({ slug, hostConfigKey, host }) => [slug, hostOf(hostConfigKey, host)]))
}

const findDeclaredKey = ({ config }: Manifest, key: string): DeclaredKey | null =>
  config !== undefined && Object.hasOwn(config, key) ? (config[key] ?? null) : (CENTRAL_KEYS.get(key) ?? null)

/**
 * Lanes that would send plans to another host than the user agreed to. A project can configure the host, so this is checked
 * whenever a lane is used or shown (security page, "Disclosure and consent").
 */
export const checkLaneHosts = (
  context: Context,
  manifest: Manifest,
  surfaces: readonly Surface[],
  record: ConsentRecord | null,
): readonly Diagnostic[] =>
  Object.entries(resolveLaneHosts(context, manifest, surfaces)).flatMap(([slug, host]) => {
    const agreed = record?.hosts !== undefined && Object.hasOwn(record.hosts, slug) ? record.hosts[slug] : undefined
    if (record === null || agreed === host) return []
    const text = `the reviewer lane ${quote(slug)} of ${quote(manifest.id)} is configured here to send plans to ${formatHost(host)}, but you agreed to ${formatHost(agreed)}`
    const hint = `fix the configuration, or agree to it: gsd capability trust grant ${manifest.id} --scope ${record.scope}`
    return [diagnostic('warning', 'CONSENT_CHANGED', text, { id: manifest.id, hint })]
  })

const formatHost = (host: string | null | undefined): string => (host == null ? 'nowhere' : quote(host))

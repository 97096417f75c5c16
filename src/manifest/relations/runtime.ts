import { quote } from '../../redact.ts'
import { COMPATIBLE_SURFACES, HOOK_EVENT_FAMILIES } from '../schema/runtime.ts'
import { eachString, objectOf, type Relation, type Relations } from './relation.ts'

const compatibleSurfaces = new Map<unknown, readonly string[]>(Object.entries(COMPATIBLE_SURFACES))
const families = new Map<string, string>(Object.entries(HOOK_EVENT_FAMILIES))
const surfaces: ReadonlySet<unknown> = new Set(Object.values(COMPATIBLE_SURFACES).flat())

/** Rule 29: only a runtime without a home has no local folder. */
const checkLocalDir: Relation = ({ runtime }, findings) => {
  const body = objectOf(runtime)
  const { kind } = objectOf(body['configHome'])
  if (kind === 'none' || (body['localConfigDir'] ?? null) !== null || !isBody(runtime)) return
  findings.reportMissingAt(['runtime'], 'MANIFEST_LOCAL_CONFIG_DIR', 'localConfigDir')
}

const isBody = (runtime: unknown): boolean => typeof runtime === 'object' && runtime !== null && !Array.isArray(runtime)

/** Rule 33: the hook surface fits the install surface. */
const checkSurfaces: Relation = ({ runtime }, findings) => {
  const { installSurface, hooksSurface } = objectOf(runtime)
  const fit = compatibleSurfaces.get(installSurface)
  if (fit === undefined || !surfaces.has(hooksSurface) || fit.includes(String(hooksSurface))) return
  const wanted = fit.map((surface) => `"${surface}"`).join(' or ')
  findings.reportAt(['runtime', 'hooksSurface'], 'MANIFEST_SURFACES_DISAGREE', hooksSurface, {
    detail: `installSurface ${quote(installSurface)}; use ${wanted}`,
  })
}

/** Rule 33: events belong to the family of the host. */
const checkHookEvents: Relation = ({ runtime }, findings) => {
  const { hookEvents, extendedHookEvents } = objectOf(runtime)
  eachString(extendedHookEvents, (event, index) => {
    const family = families.get(event)
    if (family === undefined || family === hookEvents) return
    findings.reportAt(['runtime', 'extendedHookEvents', index], 'MANIFEST_HOOK_EVENTS_FAMILY', event, {
      detail: family,
    })
  })
}

export const RUNTIME_RELATIONS: Relations = [
  ['runtime', checkLocalDir],
  ['runtime', checkSurfaces],
  ['runtime', checkHookEvents],
]

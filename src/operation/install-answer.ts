import { join } from 'node:path'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import { locatorWords } from '../resolve/locator-words.ts'
import { hasOtherLocator } from '../resolve/prepare-update.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import type { InstallAnswer, InstalledRow } from './plan/install-request.ts'
import type { InstallStep } from './plan/install-step.ts'
import type { InstallPlan } from './plan/plan-install.ts'

/** The answer for a plan, applied or not. */
export const installAnswer = (
  plan: InstallPlan,
  paths: ScopePaths,
  warnings: readonly Diagnostic[],
): InstallAnswer => ({
  installed: plan.steps.filter(({ unchanged }) => !unchanged).map((step) => installedRow(step, paths)),
  unchanged: plan.steps.filter(({ unchanged }) => unchanged).map(({ prepared }) => prepared.manifest.id),
  warnings: [
    ...warnings,
    ...plan.steps.flatMap(sourceNotes),
    ...plan.steps.flatMap(locatorNotes),
    ...plan.steps.flatMap((step) => preservedFileWarnings(step, paths)),
    ...plan.steps.flatMap(unwiredNotes),
    ...plan.steps.flatMap(({ unchanged, notices }) => (unchanged ? [] : notices)),
  ],
})

const installedRow = ({ prepared, entry, wiring }: InstallStep, paths: ScopePaths): InstalledRow => ({
  id: prepared.manifest.id,
  version: entry.version,
  scope: paths.scope,
  digest: entry.digest,
  spec: entry.spec,
  resolved: entry.resolved,
  wired: wiring.wired,
  notWired: wiring.notWired,
  ...(prepared.downgradedFrom === undefined ? {} : { downgradedFrom: prepared.downgradedFrom }),
})

/** The same content is installed already, from another spec. */
const sourceNotes = ({ prepared: { manifest, recordedSpec }, entry, unchanged }: InstallStep): Diagnostic[] => {
  if (!unchanged || entry.spec === recordedSpec) return []
  const text = `${quote(manifest.id)} stays installed from ${quote(entry.spec)}`
  const hint = `to install it from ${recordedSpec}, add --replace`
  return [diagnostic('info', 'STATE_OTHER_SOURCE', text, { id: manifest.id, hint })]
}

/** The same content, at another address. */
const locatorNotes = ({ prepared: { manifest }, entry, entryBefore, unchanged }: InstallStep): Diagnostic[] => {
  if (unchanged || entryBefore === null || entryBefore.digest !== entry.digest || entryBefore.spec !== entry.spec)
    return []
  if (entryBefore.resolved === entry.resolved || !hasOtherLocator(entryBefore, entry)) return []
  const text = `the content of ${quote(manifest.id)} is the same and ${locatorWords(entryBefore, entry)}`
  return [diagnostic('info', 'STATE_LOCATOR', text, { id: manifest.id, hint: 'the ledger now records that' })]
}

const preservedFileWarnings = ({ prepared: { manifest }, preserved }: InstallStep, paths: ScopePaths): Diagnostic[] => {
  if (preserved.keptIn === null) return []
  const file = join(paths.root, preserved.keptIn)
  const text = `edited files of ${quote(manifest.id)} are replaced; copies are kept in ${quote(file)}`
  return [diagnostic('warning', 'STATE_DRIFT', text, { id: manifest.id, scope: paths.scope, file })]
}

const unwiredNotes = ({ prepared: { manifest }, wiring, entry, entryBefore, unchanged }: InstallStep): Diagnostic[] => {
  if (entryBefore?.digest === entry.digest) return []
  const parts = hostPartsOf(manifest)
  if (unchanged || parts.length === 0 || wiring.wired.length > 0 || wiring.notWired.length > 0) return []
  const text = `${quote(manifest.id)} is not wired into any host: it has ${parts.join(', ')}`
  const hint = 'to wire it, add --runtime with the host, for example --runtime claude'
  return [diagnostic('info', 'HOST_NOT_WIRED', text, { id: manifest.id, hint })]
}

/** How many parts of a capability go into hosts. */
const hostPartsOf = (manifest: Manifest): string[] => {
  if (manifest.role !== 'feature') return []
  const counts: readonly [string, number][] = [
    ['hook', (manifest.hooks ?? []).length],
    ['MCP server', Object.keys(manifest.mcpServers ?? {}).length],
    ['skill', manifest.skills.length],
    ['agent', manifest.agents.length],
  ]
  return counts.filter(([, n]) => n > 0).map(([noun, n]) => `${n} ${noun}${n === 1 ? '' : 's'}`)
}

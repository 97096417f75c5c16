import type { Diagnostic } from '../diagnostic.ts'
import { faultDiagnostics } from './fault-diagnostics.ts'
import { Findings } from './findings.ts'
import type { FeatureManifest, Fragment, Manifest } from './manifest.ts'
import type { ManifestText } from './parse-manifest.ts'
import { MAX_FRAGMENT_BYTES } from './schema/loop.ts'

export interface BundleCheckOptions {
  /** Gives the findings file, line and column. */
  readonly text?: ManifestText
  /** Skills, agents and command modules of a first-party set belong to the host and are not checked (rule 48). */
  readonly firstParty?: boolean
}

/** Path with `/` → size in bytes, for each regular file of the bundle. */
export type FileSizes = ReadonlyMap<string, { readonly size: number }>

type FileRule<T extends Manifest = Manifest> = (manifest: T, files: FileSizes, findings: Findings) => void

/** The rules that need the list of files (14, 15, 21, 24, 25). */
export const checkBundleFiles = (
  manifest: Manifest,
  files: FileSizes,
  options: BundleCheckOptions = {},
): Diagnostic[] => {
  const findings = new Findings()
  if (manifest.role === 'feature') for (const rule of FEATURE_RULES) rule(manifest, files, findings)
  if (!options.firstParty) for (const rule of NON_FIRST_PARTY_RULES) rule(manifest, files, findings)
  const source = options.text === undefined ? {} : { file: options.text.file, locate: options.text.locate }
  return faultDiagnostics(findings, { id: manifest.id, ...source })
}

/** Rule 15. */
const checkHookScripts: FileRule<FeatureManifest> = ({ hooks = [] }, files, findings) => {
  for (const [index, { script }] of hooks.entries()) {
    if (!files.has(script)) findings.reportAt(['hooks', index, 'script'], 'MANIFEST_HOOK_FILE', script)
  }
}

/** Rule 21. */
const checkFragments: FileRule<FeatureManifest> = (manifest, files, findings) => {
  for (const member of ['steps', 'contributions'] as const) {
    for (const [index, { fragment }] of manifest[member].entries()) {
      checkFragment(fragment, [member, index, 'fragment', 'path'], files, findings)
    }
  }
}

const checkFragment = (
  fragment: Fragment | undefined,
  path: readonly (string | number)[],
  files: FileSizes,
  findings: Findings,
): void => {
  if (fragment === undefined || !('path' in fragment)) return
  const size = files.get(fragment.path)?.size
  if (size === undefined) findings.reportAt(path, 'MANIFEST_FRAGMENT_FILE', fragment.path)
  else if (size > MAX_FRAGMENT_BYTES)
    findings.reportAt(path, 'MANIFEST_FRAGMENT_SIZE', fragment.path, { detail: `${size} bytes` })
}

/** Rule 25. */
const checkServerCommands: FileRule<FeatureManifest> = ({ mcpServers = {} }, files, findings) => {
  for (const [name, server] of Object.entries(mcpServers)) {
    if (!('command' in server) || !server.command.includes('/')) continue
    if (!files.has(server.command.replace(/^\.\//, ''))) {
      findings.reportAt(['mcpServers', name, 'command'], 'MANIFEST_MCP_FILE', server.command)
    }
  }
}

/** Rule 14. */
const checkSkillFiles: FileRule = (manifest, files, findings) => {
  if (manifest.role !== 'feature') return
  for (const [index, stem] of manifest.skills.entries()) {
    const path = `skills/${stem}/SKILL.md`
    if (!files.has(path) && !files.has(`skills/${stem}.md`)) {
      findings.reportAt(['skills', index], 'MANIFEST_SKILL_FILE', stem, { detail: path })
    }
  }
}

/** Rule 14. */
const checkAgentFiles: FileRule = (manifest, files, findings) => {
  if (manifest.role !== 'feature') return
  for (const [index, stem] of manifest.agents.entries()) {
    const path = `agents/${stem}.md`
    if (!files.has(path)) findings.reportAt(['agents', index], 'MANIFEST_AGENT_FILE', stem, { detail: path })
  }
}

/** Rule 24. */
const checkCommandModules: FileRule = (manifest, files, findings) => {
  const commands = manifest.role === 'reviewer' ? [] : (manifest.commands ?? [])
  for (const [index, { module }] of commands.entries()) {
    if (!files.has(module)) findings.reportAt(['commands', index, 'module'], 'MANIFEST_COMMAND_FILE', module)
  }
}

const FEATURE_RULES: readonly FileRule<FeatureManifest>[] = [checkHookScripts, checkFragments, checkServerCommands]
/** In a first-party set these files belong to the host. */
const NON_FIRST_PARTY_RULES: readonly FileRule[] = [checkSkillFiles, checkAgentFiles, checkCommandModules]

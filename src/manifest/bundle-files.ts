import type { Diagnostic } from '../diagnostic.ts'
import { faultDiagnostics } from './fault-text.ts'
import { Findings } from './findings.ts'
import type { FeatureManifest, Fragment, Manifest } from './manifest.ts'
import type { ManifestText } from './read.ts'
import { LONGEST_FRAGMENT } from './schema/loop.ts'

export interface BundleCheckOptions {
  /** Gives the findings file, line and column. */
  readonly text?: ManifestText
  /** Skills, agents and command modules of a first-party set belong to the host and are not looked for (rule 48). */
  readonly firstParty?: boolean
}

/** Bundle path with `/` → size in bytes, of every regular file. */
export type FileSizes = ReadonlyMap<string, { readonly size: number }>

type FileRule<T extends Manifest = Manifest> = (manifest: T, files: FileSizes, findings: Findings) => void

/** The rules that need to know which files a bundle holds (14, 15, 21, 24, 25). */
export const checkBundle = (manifest: Manifest, files: FileSizes, options: BundleCheckOptions = {}): Diagnostic[] => {
  const findings = new Findings()
  if (manifest.role === 'feature') for (const rule of FEATURE_RULES) rule(manifest, files, findings)
  if (!options.firstParty) for (const rule of OWN_FILE_RULES) rule(manifest, files, findings)
  const place = options.text === undefined ? {} : { file: options.text.file, locate: options.text.locate }
  return faultDiagnostics(findings, { id: manifest.id, ...place })
}

/** Rule 15. */
const scriptsAreThere: FileRule<FeatureManifest> = ({ hooks = [] }, files, findings) => {
  for (const [index, { script }] of hooks.entries()) {
    if (!files.has(script)) findings.at(['hooks', index, 'script'], 'MANIFEST_HOOK_FILE', script)
  }
}

/** Rule 21. */
const fragmentsAreThere: FileRule<FeatureManifest> = (manifest, files, findings) => {
  for (const member of ['steps', 'contributions'] as const) {
    for (const [index, { fragment }] of manifest[member].entries()) {
      fragmentIsThere(fragment, [member, index, 'fragment', 'path'], files, findings)
    }
  }
}

const fragmentIsThere = (
  fragment: Fragment | undefined,
  path: readonly (string | number)[],
  files: FileSizes,
  findings: Findings,
): void => {
  if (fragment === undefined || !('path' in fragment)) return
  const size = files.get(fragment.path)?.size
  if (size === undefined) findings.at(path, 'MANIFEST_FRAGMENT_FILE', fragment.path)
  else if (size > LONGEST_FRAGMENT)
    findings.at(path, 'MANIFEST_FRAGMENT_SIZE', fragment.path, { detail: `${size} bytes` })
}

/** Rule 25. */
const serversAreThere: FileRule<FeatureManifest> = ({ mcpServers = {} }, files, findings) => {
  for (const [name, server] of Object.entries(mcpServers)) {
    if (!('command' in server) || !server.command.includes('/')) continue
    if (!files.has(server.command.replace(/^\.\//, ''))) {
      findings.at(['mcpServers', name, 'command'], 'MANIFEST_MCP_FILE', server.command)
    }
  }
}

/** Rule 14. */
const skillsAreThere: FileRule = (manifest, files, findings) => {
  if (manifest.role !== 'feature') return
  for (const [index, stem] of manifest.skills.entries()) {
    const path = `skills/${stem}/SKILL.md`
    if (!files.has(path) && !files.has(`skills/${stem}.md`)) {
      findings.at(['skills', index], 'MANIFEST_SKILL_FILE', stem, { detail: path })
    }
  }
}

/** Rule 14. */
const agentsAreThere: FileRule = (manifest, files, findings) => {
  if (manifest.role !== 'feature') return
  for (const [index, stem] of manifest.agents.entries()) {
    const path = `agents/${stem}.md`
    if (!files.has(path)) findings.at(['agents', index], 'MANIFEST_AGENT_FILE', stem, { detail: path })
  }
}

/** Rule 24. */
const modulesAreThere: FileRule = (manifest, files, findings) => {
  const commands = manifest.role === 'reviewer' ? [] : (manifest.commands ?? [])
  for (const [index, { module }] of commands.entries()) {
    if (!files.has(module)) findings.at(['commands', index, 'module'], 'MANIFEST_COMMAND_FILE', module)
  }
}

const FEATURE_RULES: readonly FileRule<FeatureManifest>[] = [scriptsAreThere, fragmentsAreThere, serversAreThere]
/** What a first-party set leaves to the host. */
const OWN_FILE_RULES: readonly FileRule[] = [skillsAreThere, agentsAreThere, modulesAreThere]

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostHooks } from '../../src/host/hooks/host-hooks.ts'
import { hostServers } from '../../src/host/hooks/host-servers.ts'
import { requireBuiltInRuntime } from '../../src/host/runtimes/known-hosts.ts'
import type { Hook, McpServer } from '../../src/manifest/manifest.ts'
import type { HostEntry, SurfaceKind } from '../../src/state/host-edit.ts'
import { capabilityWith } from './feature-manifest.ts'

export const SETTINGS_FIXTURES = join(import.meta.dirname, '../../fixtures/settings')

/**
 * One file of a host: `before`, `after` an install; optionally `edited` by the user and what is `left` of that
 * after a removal. Null: there is no file.
 */
export interface SettingsFixture {
  readonly extension: string
  readonly before: string | null
  readonly after: string | null
  readonly edited: string | null
  readonly left: string | null
  readonly terms: CaseFile
}

/** `case.json`: its differences from the usual hooks in the usual folder. */
export interface CaseFile {
  readonly hooks?: readonly Hook[]
  readonly servers?: Readonly<Record<string, McpServer>>
  /** The folder of the capabilities. */
  readonly folder?: string
  /** Code of the refusal; in this case there is no `after`. */
  readonly refused?: string
}

/** Folders of `fixtures/settings`: a runtime and its hooks, or with the suffix `-mcp` its MCP servers. */
export const fixtureHosts = (): readonly string[] => readdirSync(SETTINGS_FIXTURES)

export const readFixture = (host: string, name: string): SettingsFixture => {
  const folder = join(SETTINGS_FIXTURES, host, name)
  const extension =
    readdirSync(folder)
      .find((file) => !file.startsWith('case.'))
      ?.split('.')[1] ?? ''
  const read = (part: string): string | null => {
    const file = join(folder, `${part}.${extension}`)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
  const caseFile = join(folder, 'case.json')
  return {
    extension,
    before: read('before'),
    after: read('after'),
    edited: read('edited'),
    left: read('left'),
    terms: existsSync(caseFile) ? (JSON.parse(readFileSync(caseFile, 'utf8')) as CaseFile) : {},
  }
}

export const fixtureSurface = (host: string): SurfaceKind => {
  const runtime = requireBuiltInRuntime(host.replace(/-mcp$/, ''))
  return host.endsWith('-mcp') ? (runtime.mcp?.surface ?? 'none') : runtime.surface
}

/** The installed hooks; `seconds` differ with each version. */
export const fixtureEntries = (host: string, id: string, seconds: number, caseFile: CaseFile): readonly HostEntry[] => {
  const runtime = host.replace(/-mcp$/, '')
  return host.endsWith('-mcp') ? servers(runtime, id, seconds, caseFile) : hooksOf(runtime, id, seconds, caseFile)
}

const CAPABILITIES = '/home/u/.gsd/capabilities'

const servers = (
  id: string,
  capability: string,
  seconds: number,
  { servers: own, folder = CAPABILITIES }: CaseFile,
): readonly HostEntry[] => {
  const { mcp, ...runtime } = requireBuiltInRuntime(id)
  if (mcp === undefined) return []
  const defaults: Readonly<Record<string, McpServer>> = {
    [`${capability}-tools`]: { command: './bin/serve', args: [`--seconds=${seconds}`], env: { MODE: 'x y' } },
    [`${capability}-far`]: { type: 'http', url: `https://example.org/${seconds}`, headers: { Accept: '*/*' } },
  }
  const named = Object.entries(own ?? {}).map(([name, server]) => [`${capability}-${name}`, server] as const)
  const mcpServers = own === undefined ? defaults : Object.fromEntries(named)
  const manifest = capabilityWith(capability, [], { mcpServers })
  return hostServers(
    manifest,
    { ...runtime, mcp },
    {
      dir: `${folder}/${capability}`,
      files: [
        { path: 'bin/serve', executable: true },
        { path: 'bin/serve.py', executable: false },
      ],
    },
  ).servers
}

/** For hosts that can limit a hook to some tools and for those that cannot. */
const hooksOf = (
  runtime: string,
  id: string,
  seconds: number,
  { hooks, folder = CAPABILITIES }: CaseFile,
): readonly HostEntry[] => {
  const limited = requireBuiltInRuntime(runtime).matcher === null ? {} : { matcher: 'Bash|Write' }
  const defaults: readonly Hook[] = [
    { event: 'PreToolUse', script: 'hooks/run.sh', ...limited, timeout: seconds },
    ...(runtime === 'cline' ? [] : [{ event: 'Stop', script: 'hooks/run.sh' }]),
  ]
  const own = hooks?.map((hook) => (hook.timeout === undefined ? hook : { ...hook, timeout: hook.timeout + seconds }))
  return hostHooks(capabilityWith(id, own ?? defaults), requireBuiltInRuntime(runtime), {
    dir: `${folder}/${id}`,
    files: [
      { path: 'hooks/run.sh', shebang: true },
      { path: 'hooks/run.cjs', shebang: false },
    ],
  }).hooks
}

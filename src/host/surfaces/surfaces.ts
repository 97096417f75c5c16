import { basename } from 'node:path'
import type { SurfaceKind } from '../../state/host-edit.ts'
import { isHook, isServer } from '../edit/host-entry.ts'
import { hooksOfBundle, serversOfBundle } from '../splice/bundle-entries.ts'
import { parseDocument } from '../splice/json-document.ts'
import { findEntries, type JsonHookFormat } from '../splice/json-entries.ts'
import { findOwnHooks, spliceJsonHooks } from '../splice/splice-json-hooks.ts'
import { listJsonServers, spliceJsonServers } from '../splice/splice-json-servers.ts'
import { spliceTomlHooks } from '../splice/splice-toml-hooks.ts'
import { listFencedServers, listTomlServers, spliceTomlServers } from '../splice/splice-toml-servers.ts'
import { parseTomlDocument } from '../splice/toml-document.ts'
import { findTomlHooks } from '../splice/toml-hook-tables.ts'
import { commandOfScript, spliceScript } from './cline-script.ts'
import { onlyEntries, type Surface } from './surface.ts'

/** A file that the host shares with others, made with the usual mode. */
const SHARED = { ownFile: false, mode: 0o666 } as const

const GROUPED: JsonHookFormat = { grouped: true, typed: true, timeoutKey: 'timeout', versioned: false }

const jsonHooks = (format: JsonHookFormat, ownFile = false): Surface => ({
  ...SHARED,
  ownFile,
  splice: (text, request) => spliceJsonHooks(text, format, onlyEntries(request, isHook)),
  findEntries: (text, file, entries) => findOwnHooks(text, format, file, entries.filter(isHook)),
  findBundleEntries: (text, { file, id }) => hooksOfBundle(findEntries(parseDocument(text, file).root, format), id),
})

/** A script that runs one hook is named after the event. */
const hookOfScript: NonNullable<Surface['findBundleEntries']> = (text, { file, id }) => {
  const command = commandOfScript(text, id)
  if (command === null) return []
  const found = {
    event: basename(file),
    matcher: undefined,
    command,
    timeout: undefined,
    hasExtraMembers: false,
    offset: 0,
  }
  return hooksOfBundle([found], id)
}

const jsonServers = (key: string): Surface => ({
  ...SHARED,
  splice: (text, request) => spliceJsonServers(text, key, onlyEntries(request, isServer)),
  findBundleEntries: (text, { file, id, servers }) => serversOfBundle(listJsonServers(text, key, file), id, servers),
})

/** Hooks, and beside them the MCP servers of a host that reads both from its settings. */
const spliceSettings: Surface['splice'] = (text, request) => {
  const { add, remove, recorded, inUse } = request
  const hasServers = [add, remove, recorded].some((entries) => entries.some(isServer))
  // The records of containers are needed until the servers are done.
  const hooks = spliceJsonHooks(text, GROUPED, { ...onlyEntries(request, isHook), inUse: inUse || hasServers })
  if (!hasServers) return hooks
  const servers = spliceJsonServers(hooks.text, 'mcpServers', {
    ...onlyEntries(request, isServer),
    containers: hooks.containers,
  })
  return {
    ...servers,
    patches: [...hooks.patches, ...servers.patches],
    warnings: [...hooks.warnings, ...servers.warnings],
  }
}

/** Nothing is spliced: there are no hooks, or the patches of the edit hold the whole text. */
const keepText: Surface['splice'] = (text, { containers }) => ({ text, patches: [], containers, warnings: [] })

/** Every form of host file: a row each (hosts page, "What is written"). */
export const SURFACES: Readonly<Record<SurfaceKind, Surface>> = {
  'settings-json': {
    ...jsonHooks(GROUPED),
    splice: spliceSettings,
    findBundleEntries: (text, request) =>
      [jsonHooks(GROUPED), jsonServers('mcpServers')].flatMap((part) => part.findBundleEntries?.(text, request) ?? []),
  },
  'codex-hooks-json': jsonHooks(GROUPED),
  'cursor-hooks-json': jsonHooks({ grouped: false, typed: false, timeoutKey: 'timeout', versioned: true }),
  'copilot-inline': jsonHooks({ grouped: false, typed: true, timeoutKey: 'timeoutSec', versioned: true }, true),
  'windsurf-hooks-json': jsonHooks({ grouped: false, typed: false, timeoutKey: null, versioned: false }),
  'cline-rules': {
    ownFile: true,
    mode: 0o777,
    splice: (text, request) => spliceScript(text, onlyEntries(request, isHook)),
    findBundleEntries: hookOfScript,
  },
  'kimi-hooks-toml': {
    ...SHARED,
    splice: (text, request) => spliceTomlHooks(text, onlyEntries(request, isHook)),
    findBundleEntries: (text, { file, id }) => hooksOfBundle(findTomlHooks(parseTomlDocument(text, file)) ?? [], id),
  },
  'mcp-servers-json': jsonServers('mcpServers'),
  'opencode-mcp-json': jsonServers('mcp'),
  'mcp-servers-toml': {
    ...SHARED,
    splice: (text, request) => spliceTomlServers(text, onlyEntries(request, isServer)),
    findBundleEntries: (text, { file, id, servers }) =>
      serversOfBundle(listTomlServers(text, file), id, [...servers, ...listFencedServers(text, file, id)]),
  },
  'placed-file': { ...SHARED, ownFile: true, splice: keepText },
  none: { ...SHARED, splice: keepText },
}

/** The whole file is ours, and nothing in it tells a user's line from ours: once edited it belongs to the user. */
export const ownsWholeFile = (kind: SurfaceKind): boolean =>
  SURFACES[kind].ownFile && SURFACES[kind].findEntries === undefined

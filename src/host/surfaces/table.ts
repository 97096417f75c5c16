import type { SurfaceKind } from '../../state/host-edit.ts'
import { clineRules } from './cline-rules.ts'
import { codexHooksJson } from './codex-hooks-json.ts'
import { copilotInline } from './copilot-inline.ts'
import { cursorHooksJson } from './cursor-hooks-json.ts'
import { kimiHooksToml } from './kimi-hooks-toml.ts'
import { mcpServersJson } from './mcp-servers-json.ts'
import { mcpServersToml } from './mcp-servers-toml.ts'
import { none } from './none.ts'
import { placedFile } from './placed-file.ts'
import { settingsJson } from './settings-json.ts'
import type { Surface } from './surface.ts'
import { windsurfHooksJson } from './windsurf-hooks-json.ts'

/** Every form of host file: one row and one file each (hosts page, "What is written"). */
export const SURFACES: Readonly<Record<SurfaceKind, Surface>> = {
  'settings-json': settingsJson,
  'codex-hooks-json': codexHooksJson,
  'cursor-hooks-json': cursorHooksJson,
  'copilot-inline': copilotInline,
  'cline-rules': clineRules,
  'kimi-hooks-toml': kimiHooksToml,
  'windsurf-hooks-json': windsurfHooksJson,
  'mcp-servers-json': mcpServersJson,
  'mcp-servers-toml': mcpServersToml,
  'placed-file': placedFile,
  none,
}

/** The whole file is ours: what somebody writes into it cannot be told from it, so an edited one is theirs. */
export const ownsWholeFile = (kind: SurfaceKind): boolean =>
  SURFACES[kind].ownFile && SURFACES[kind].findEntries === undefined

import { antigravity } from './antigravity.ts'
import { augment } from './augment.ts'
import { claude } from './claude.ts'
import { cline } from './cline.ts'
import { codebuddy } from './codebuddy.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { hermes } from './hermes.ts'
import { kilo } from './kilo.ts'
import { kimiCode } from './kimi-code.ts'
import { kimi } from './kimi.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'
import type { HostRuntime } from './runtime.ts'
import { trae } from './trae.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'
import { zcode } from './zcode.ts'

/** The host runtimes, in the order in which they are looked at and shown. A new host is one file and one row. */
export const RUNTIMES: readonly HostRuntime[] = [
  claude,
  codex,
  opencode,
  kilo,
  cursor,
  copilot,
  antigravity,
  windsurf,
  augment,
  trae,
  qwen,
  hermes,
  codebuddy,
  cline,
  kimi,
  kimiCode,
  pi,
  vscode,
  zcode,
]

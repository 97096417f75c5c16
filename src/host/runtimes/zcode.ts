import type { HostRuntime } from './runtime.ts'

export const zcode: HostRuntime = {
  id: 'zcode',
  title: 'ZCode',
  configHome: { kind: 'dot-home', name: '.zcode', env: ['ZCODE_CONFIG_DIR'] },
  localDir: '.zcode',
  surface: 'none',
  noSurface: 'ZCode has no hook file this program writes',
  files: { global: null, project: null },
  events: [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PermissionRequest',
    'PostToolUse',
    'PostToolUseFailure',
    'Stop',
  ],
  fromClaude: {},
  timeout: null,
  matcher: null,
  command: 'shell',
  refuses: [],
  alsoReads: [],
  sure: { evidence: 'public documentation', observed: null },
}

import type { HostRuntime } from './runtime.ts'

export const zcode: HostRuntime = {
  id: 'zcode',
  title: 'ZCode',
  configHome: { kind: 'dot-home', name: '.zcode', env: ['ZCODE_CONFIG_DIR'] },
  localDir: '.zcode',
  surface: 'none',
  noSurfaceReason: 'ZCode has no hook file this program writes',
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
  claudeEvents: {},
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: [],
  confidence: { evidence: 'public documentation', observed: null },
}

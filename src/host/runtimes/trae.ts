import type { HostRuntime } from './runtime.ts'

export const trae: HostRuntime = {
  id: 'trae',
  title: 'Trae IDE',
  configHome: { kind: 'dot-home', name: '.trae', env: ['TRAE_CONFIG_DIR'] },
  localDir: '.trae',
  surface: 'none',
  noSurfaceReason: 'Trae has no hooks that a file can set',
  files: { global: null, project: null },
  mcp: { surface: 'mcp-servers-json', files: { global: null, project: '<project>/.trae/mcp.json' }, form: 'trae' },
  events: ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse'],
  claudeEvents: {},
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: [],
  confidence: { evidence: 'public documentation (enterprise edition only)', observed: null },
}

import type { HostRuntime } from './runtime.ts'

export const vscode: HostRuntime = {
  id: 'vscode',
  title: 'VS Code',
  configHome: { kind: 'none' },
  localDir: null,
  surface: 'none',
  noSurfaceReason: 'VS Code has no folder of its own; it reads the hook files of Claude Code and GitHub Copilot',
  files: { global: null, project: null },
  events: [
    'SessionStart',
    'UserPromptSubmit',
    'PreToolUse',
    'PostToolUse',
    'PreCompact',
    'SubagentStart',
    'SubagentStop',
    'Stop',
  ],
  claudeEvents: {},
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: ['claude', 'copilot'],
  confidence: { evidence: 'public documentation (preview)', observed: null },
}

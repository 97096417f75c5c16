import type { HostRuntime } from './runtime.ts'

export const cline: HostRuntime = {
  id: 'cline',
  title: 'Cline',
  configHome: { kind: 'dot-home', name: '.cline', env: ['CLINE_CONFIG_DIR'] },
  localDir: '.cline',
  surface: 'cline-rules',
  files: { global: '~/Documents/Cline/Hooks/<event>', project: '<project>/.clinerules/hooks/<event>' },
  events: [
    'TaskStart',
    'TaskResume',
    'TaskCancel',
    'TaskComplete',
    'PreToolUse',
    'PostToolUse',
    'UserPromptSubmit',
    'TaskError',
    'SessionShutdown',
  ],
  claudeEvents: { SessionStart: 'TaskStart', Stop: 'TaskComplete', SessionEnd: ['TaskComplete', 'TaskCancel'] },
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: [],
  confidence: { evidence: 'public documentation', observed: '3.0.65' },
}

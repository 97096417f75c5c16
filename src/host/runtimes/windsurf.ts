import type { HostRuntime } from './runtime.ts'

export const windsurf: HostRuntime = {
  id: 'windsurf',
  title: 'Windsurf',
  configHome: { kind: 'dot-home-nested', name: 'windsurf', parent: '.codeium', env: ['WINDSURF_CONFIG_DIR'] },
  localDir: '.windsurf',
  surface: 'windsurf-hooks-json',
  files: { global: '<home>/hooks.json', project: '<project>/.windsurf/hooks.json' },
  events: [
    'pre_read_code',
    'post_read_code',
    'pre_write_code',
    'post_write_code',
    'pre_run_command',
    'post_run_command',
    'pre_mcp_tool_use',
    'post_mcp_tool_use',
    'pre_user_prompt',
    'post_cascade_response',
  ],
  claudeEvents: {
    PreToolUse: ['pre_write_code', 'pre_run_command', 'pre_read_code', 'pre_mcp_tool_use'],
    PostToolUse: ['post_write_code', 'post_run_command', 'post_read_code', 'post_mcp_tool_use'],
    UserPromptSubmit: 'pre_user_prompt',
    Stop: 'post_cascade_response',
  },
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: [],
  confidence: { evidence: 'public documentation', observed: null },
}

/** Claude Code's name of a tool → the host's, where the two differ. */
export type ToolNames = Readonly<Record<string, string>>

export const COPILOT_TOOLS: ToolNames = {
  Bash: 'execute',
  Read: 'read',
  NotebookRead: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Grep: 'search',
  Glob: 'search',
  Task: 'agent',
  WebSearch: 'web',
  WebFetch: 'web',
  TodoWrite: 'todo',
}

export const ANTIGRAVITY_TOOLS: ToolNames = {
  Bash: 'run_command',
  Read: 'view_file',
  Write: 'write_to_file',
  Edit: 'replace_file_content',
}

export const AUGMENT_TOOLS: ToolNames = {
  Bash: 'launch-process',
  Read: 'view',
  Write: 'save-file',
  Edit: 'str-replace-editor',
}

export const QWEN_TOOLS: ToolNames = {
  Bash: 'run_shell_command',
  Read: 'read_file',
  Write: 'write_file',
  Edit: 'edit',
  Glob: 'glob',
  Grep: 'grep_search',
  WebFetch: 'web_fetch',
  TodoWrite: 'todo_write',
}

/** In matchers of hooks. */
export const CURSOR_TOOLS: ToolNames = {
  Bash: 'Shell',
  Edit: 'Write',
  MultiEdit: 'Write',
  NotebookEdit: 'Write',
  Glob: 'Grep',
}

export const KIMI_TOOLS: ToolNames = {
  Bash: 'Shell',
  Read: 'ReadFile',
  Write: 'WriteFile',
  Edit: 'StrReplaceFile',
}

/** Ends of the names of Windsurf's events, by tool. */
export const WINDSURF_EVENTS: ToolNames = {
  Bash: 'run_command',
  Read: 'read_code',
  Write: 'write_code',
  Edit: 'write_code',
  MultiEdit: 'write_code',
}

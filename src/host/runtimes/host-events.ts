import type { HOST_FACTS } from './host-facts.ts'

/** The events of one host: its own names, separated by white space, and which of them an event of Claude Code becomes. */
interface HostEvents {
  readonly own: string
  readonly byClaudeName?: Readonly<Record<string, string | readonly string[]>>
}

const OPENCODE_EVENTS: HostEvents = {
  own: `session.created session.idle session.error experimental.session.compacting tool.execute.before
    tool.execute.after file.edited permission.asked permission.replied`,
  byClaudeName: {
    SessionStart: 'session.created',
    PreToolUse: 'tool.execute.before',
    PostToolUse: 'tool.execute.after',
    Stop: 'session.idle',
    PreCompact: 'experimental.session.compacting',
  },
}

/**
 * The events each built-in host has. The `hookEvents` of a manifest names a family only, and the hosts of one family do not
 * have the same events.
 */
export const HOST_EVENTS: Readonly<Record<keyof typeof HOST_FACTS, HostEvents>> = {
  claude: {
    own: `Setup SessionStart SessionEnd UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest PermissionDenied
    PostToolUse PostToolUseFailure PostToolBatch Notification SubagentStart SubagentStop TaskCreated TaskCompleted
    Stop StopFailure TeammateIdle PreCompact PostCompact ConfigChange CwdChanged InstructionsLoaded FileChanged
    WorktreeCreate WorktreeRemove Elicitation ElicitationResult MessageDisplay PreModelSwitch PostModelSwitch
    DirectoryAdded PreSkillShellCommand`,
  },
  codex: {
    own: `PreToolUse PermissionRequest PostToolUse PreCompact PostCompact SessionStart SessionEnd UserPromptSubmit
    SubagentStart SubagentStop Stop Interrupt PreModelRequest PostModelRequest`,
  },
  opencode: OPENCODE_EVENTS,
  kilo: OPENCODE_EVENTS,
  cursor: {
    own: `sessionStart sessionEnd preToolUse postToolUse postToolUseFailure subagentStart subagentStop
    beforeShellExecution afterShellExecution beforeMCPExecution afterMCPExecution beforeReadFile afterFileEdit
    beforeSubmitPrompt preCompact stop afterAgentResponse afterAgentThought beforeTabFileRead afterTabFileEdit
    workspaceOpen`,
    byClaudeName: {
      SessionStart: 'sessionStart',
      SessionEnd: 'sessionEnd',
      PreToolUse: 'preToolUse',
      PostToolUse: 'postToolUse',
      PostToolUseFailure: 'postToolUseFailure',
      UserPromptSubmit: 'beforeSubmitPrompt',
      Stop: 'stop',
      SubagentStart: 'subagentStart',
      SubagentStop: 'subagentStop',
      PreCompact: 'preCompact',
    },
  },
  copilot: {
    // Names in Pascal case get the input and the tool names of Claude Code, the others those of Copilot itself.
    own: `SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure Stop SubagentStart
    SubagentStop PreCompact PermissionRequest Notification sessionStart sessionEnd userPromptSubmitted preToolUse
    postToolUse agentStop subagentStart subagentStop preCompact permissionRequest errorOccurred notification
    postToolUseFailure`,
  },
  antigravity: { own: 'PreToolUse PostToolUse PreInvocation PostInvocation Stop SessionStart' },
  windsurf: {
    own: `pre_read_code post_read_code pre_write_code post_write_code pre_run_command post_run_command pre_mcp_tool_use
    post_mcp_tool_use pre_user_prompt post_cascade_response`,
    byClaudeName: {
      PreToolUse: ['pre_write_code', 'pre_run_command', 'pre_read_code', 'pre_mcp_tool_use'],
      PostToolUse: ['post_write_code', 'post_run_command', 'post_read_code', 'post_mcp_tool_use'],
      UserPromptSubmit: 'pre_user_prompt',
      Stop: 'post_cascade_response',
    },
  },
  augment: {
    own: 'PreToolUse PostToolUse Stop SessionStart SessionEnd PromptSubmit Notification',
    byClaudeName: { UserPromptSubmit: 'PromptSubmit' },
  },
  trae: { own: 'SessionStart UserPromptSubmit PreToolUse PostToolUse' },
  qwen: {
    own: `SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure PermissionRequest
    Notification SubagentStart SubagentStop Stop StopFailure PreCompact PostCompact PostToolBatch
    UserPromptExpansion MessageDisplay SessionDelete PermissionDenied TodoCreated TodoCompleted InstructionsLoaded`,
  },
  hermes: {
    own: `pre_tool_call post_tool_call pre_llm_call post_llm_call on_session_start on_session_end on_session_finalize
    on_session_reset subagent_start subagent_stop pre_gateway_dispatch pre_approval_request transform_tool_result`,
    byClaudeName: {
      SessionStart: 'on_session_start',
      SessionEnd: 'on_session_end',
      PreToolUse: 'pre_tool_call',
      PostToolUse: 'post_tool_call',
      UserPromptSubmit: 'pre_llm_call',
      SubagentStop: 'subagent_stop',
      SubagentStart: 'subagent_start',
    },
  },
  codebuddy: {
    own: `Setup SessionStart SessionEnd UserPromptSubmit PreToolUse PermissionRequest PermissionDenied PostToolUse
    PostToolUseFailure Notification SubagentStart SubagentStop TaskCreated TaskCompleted Stop StopFailure
    TeammateIdle PreCompact PostCompact ConfigChange CwdChanged InstructionsLoaded FileChanged WorktreeCreate
    WorktreeRemove Elicitation ElicitationResult FinalStop`,
  },
  cline: {
    own: 'TaskStart TaskResume TaskCancel TaskComplete PreToolUse PostToolUse UserPromptSubmit TaskError SessionShutdown',
    byClaudeName: { SessionStart: 'TaskStart', Stop: 'TaskComplete', SessionEnd: ['TaskComplete', 'TaskCancel'] },
  },
  kimi: {
    own: `SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStart SubagentStop
    Stop StopFailure PreCompact PostCompact Notification`,
  },
  'kimi-code': {
    own: `SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStart SubagentStop
    Stop StopFailure PreCompact PostCompact Notification PermissionRequest PermissionResult UserPromptQueued
    TurnStarted Interrupt SessionHeartbeat TaskStarted`,
  },
  pi: {
    own: `session_start session_shutdown before_agent_start agent_start agent_end turn_start turn_end tool_call
    tool_result input context session_before_compact session_compact before_provider_request after_provider_response`,
    byClaudeName: {
      SessionStart: 'session_start',
      SessionEnd: 'session_shutdown',
      PreToolUse: 'tool_call',
      PostToolUse: 'tool_result',
      Stop: 'agent_end',
      UserPromptSubmit: 'input',
      PreCompact: 'session_before_compact',
    },
  },
  vscode: { own: 'SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact SubagentStart SubagentStop Stop' },
  zcode: { own: 'SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse PostToolUseFailure Stop' },
}

import { AUGMENT_TOOLS, CURSOR_TOOLS, KIMI_TOOLS, QWEN_TOOLS, WINDSURF_EVENTS } from '../artifacts/tool-names.ts'
import type { HostRuntime } from './runtime.ts'

/** What the manifest of a host cannot say. A member that it does give is here only where the two differ on purpose. */
export type HostFacts = Pick<HostRuntime, 'confidence'> &
  Partial<Omit<HostRuntime, 'id' | 'title' | 'events' | 'claudeEvents'>>

const EVERYWHERE = ['args', 'env', 'headers', 'url'] as const

/** Replaces none, and hands its own environment on. */
const INHERITED = { form: null, members: [], inherits: 'all' } as const

/**
 * The built-in host runtimes, in the order in which they are detected and listed. A manifest cannot say which more files a
 * host reads, where its MCP servers are and how it writes them, how it limits time, what its matcher understands, what
 * syntax it refuses, whose files it reads as well, and how sure all this is.
 */
export const HOST_FACTS = {
  claude: {
    moreFiles: ['<project>/.claude/settings.json'],
    mcp: {
      surface: 'mcp-servers-json',
      home: { kind: 'dot-home', name: '', env: ['CLAUDE_CONFIG_DIR'] },
      files: { global: '<mcp-home>/.claude.json', project: '<project>/.mcp.json' },
      form: 'claude',
      variables: { form: '${NAME}', members: EVERYWHERE, defaults: true, inherits: 'all' },
    },
    timeout: { unit: 'seconds', wholeNumber: false },
    matcher: 'javascript',
    rejectedSyntax: ['comment', 'trailing-comma'],
    hooksOff: [
      {
        files: ['<home>/settings.json', '<project>/.claude/settings.json', '<project>/.claude/settings.local.json'],
        member: ['disableAllHooks'],
        value: true,
      },
    ],
    confidence: { evidence: 'public documentation and reports', observed: '2.1.332' },
  },
  codex: {
    mcp: {
      surface: 'mcp-servers-toml',
      files: { global: '<home>/config.toml', project: '<project>/.codex/config.toml' },
      form: 'codex',
      cwd: true,
      variables: { form: null, members: [], inherits: 'by-name' },
    },
    timeout: { unit: 'seconds', wholeNumber: true, min: 1 },
    matcher: 'rust',
    rejectedSyntax: ['comment', 'trailing-comma', 'bom'],
    rootMembers: ['hooks', 'description'],
    approvesByPosition: true,
    hooksOff: ['hooks', 'codex_hooks'].map((name) => ({
      files: ['<home>/config.toml', '<project>/.codex/config.toml'],
      member: ['features', name],
      value: false,
    })),
    trustFirst: {
      global: 'Codex runs new hooks only after you review and trust them: type /hooks in Codex',
      project: 'Codex runs new hooks only in a project you trust, after you review them: type /hooks in Codex',
    },
    confidence: { evidence: 'public documentation and reports', observed: '0.171.0' },
  },
  opencode: {
    mcp: {
      surface: 'opencode-mcp-json',
      files: { global: '<home>/opencode.json', project: '<project>/opencode.json' },
      form: 'opencode',
      variables: { form: '{env:NAME}', members: EVERYWHERE, inherits: 'all' },
    },
    noSurfaceReason: 'OpenCode runs hooks from plugin modules, which this program does not write',
    confidence: { evidence: 'public documentation and reports', observed: '1.18.33' },
  },
  kilo: {
    mcp: {
      surface: 'opencode-mcp-json',
      files: { global: '<home>/kilo.json', project: '<project>/kilo.json' },
      form: 'opencode',
      variables: { form: '{env:NAME}', members: EVERYWHERE, inherits: 'all' },
    },
    noSurfaceReason: 'Kilo Code runs hooks from plugin modules, which this program does not write',
    confidence: { evidence: 'public documentation', observed: '7.7.9' },
  },
  cursor: {
    toolNames: CURSOR_TOOLS,
    mcp: {
      surface: 'mcp-servers-json',
      files: { global: '<home>/mcp.json', project: '<project>/.cursor/mcp.json' },
      form: 'cursor',
      variables: { form: '${env:NAME}', members: EVERYWHERE, inherits: 'all' },
    },
    timeout: { unit: 'seconds', wholeNumber: true, min: 1 },
    matcher: 'javascript',
    alsoReads: [{ host: 'claude', scopes: ['project'] }],
    confidence: { evidence: 'public documentation + community reports', observed: null },
  },
  copilot: {
    mcp: {
      surface: 'mcp-servers-json',
      files: { global: '<home>/mcp-config.json', project: '<project>/.github/mcp.json' },
      form: 'copilot',
      variables: { form: '${NAME}', members: ['env', 'headers'], defaults: true, inherits: 'all' },
    },
    timeout: { unit: 'seconds', wholeNumber: true, min: 1 },
    matcher: 'javascript',
    rejectedSyntax: ['comment', 'trailing-comma', 'bom'],
    alsoReads: [{ host: 'claude', scopes: ['project'] }],
    hooksOff: [
      {
        files: [
          '<home>/settings.json',
          '<project>/.github/copilot/settings.json',
          '<project>/.github/copilot/settings.local.json',
        ],
        member: ['disableAllHooks'],
        value: true,
      },
    ],
    trustFirst: {
      project: 'GitHub Copilot runs the hooks of a project only in a folder you trust: it asks when it starts there',
    },
    confidence: { evidence: 'public documentation', observed: '1.0.102' },
  },
  // On purpose not the `settings-json` of its manifest: its hooks have a form that is not written yet.
  antigravity: {
    surface: 'none',
    noSurfaceReason: 'Antigravity keeps hooks in a map of names, for which there is no writer yet',
    files: { global: null, project: null },
    confidence: { evidence: 'third-party sources', observed: null },
  },
  windsurf: {
    eventsByTool: WINDSURF_EVENTS,
    confidence: { evidence: 'public documentation', observed: null },
  },
  // In a project the file for one user is written, not the shared one.
  augment: {
    toolNames: AUGMENT_TOOLS,
    files: { global: '<home>/settings.json', project: '<project>/.augment/settings.local.json' },
    moreFiles: ['<project>/.augment/settings.json'],
    timeout: { unit: 'milliseconds', wholeNumber: true },
    matcher: 'javascript',
    commandForm: 'path',
    confidence: { evidence: 'public documentation', observed: '0.36.0 (read from its bundle)' },
  },
  trae: {
    noSurfaceReason: 'Trae has no hooks that a file can set',
    mcp: {
      surface: 'mcp-servers-json',
      files: { global: null, project: '<project>/.trae/mcp.json' },
      form: 'trae',
      variables: { form: null, members: [], inherits: 'none' },
    },
    confidence: { evidence: 'public documentation (enterprise edition only)', observed: null },
  },
  qwen: {
    toolNames: QWEN_TOOLS,
    mcp: {
      surface: 'settings-json',
      files: { global: '<home>/settings.json', project: '<project>/.qwen/settings.json' },
      form: 'gemini',
      cwd: true,
      variables: { form: '${NAME}', members: EVERYWHERE, inherits: 'all' },
    },
    timeout: { unit: 'milliseconds', wholeNumber: true, min: 1000 },
    matcher: 'javascript',
    rejectedSyntax: ['trailing-comma'],
    hooksOff: [
      {
        files: ['<home>/settings.json', '<project>/.qwen/settings.json'],
        member: ['disableAllHooks'],
        value: true,
      },
    ],
    confidence: { evidence: 'public documentation + source', observed: '0.24.4' },
  },
  // On purpose not the `settings-json` of its manifest: its hooks are in a YAML file.
  hermes: {
    surface: 'none',
    noSurfaceReason: 'Hermes keeps hooks in a YAML file, for which there is no writer yet',
    files: { global: null, project: null },
    confidence: { evidence: 'public documentation', observed: null },
  },
  // In a project the file for one user is written, not the shared one.
  codebuddy: {
    files: { global: '<home>/settings.json', project: '<project>/.codebuddy/settings.local.json' },
    moreFiles: ['<project>/.codebuddy/settings.json'],
    timeout: { unit: 'seconds', wholeNumber: true, min: 1, max: 60 },
    matcher: 'javascript',
    trustFirst: {
      global: 'CodeBuddy runs hooks that another program wrote only after you review them: type /hooks in CodeBuddy',
      project: 'CodeBuddy runs hooks that another program wrote only after you review them: type /hooks in CodeBuddy',
    },
    confidence: { evidence: 'public documentation', observed: '2.117.0 (read from its bundle)' },
  },
  // The hooks are in two folders that have nothing to do with the configuration home.
  cline: {
    mcp: {
      surface: 'mcp-servers-json',
      files: { global: '<home>/data/settings/cline_mcp_settings.json', project: null },
      form: 'cline',
      cwd: true,
      variables: INHERITED,
    },
    files: { global: '~/Documents/Cline/Hooks/<event>', project: '<project>/.clinerules/hooks/<event>' },
    confidence: { evidence: 'public documentation', observed: '3.0.65' },
  },
  // The hooks are in another folder than the skills.
  kimi: {
    toolNames: KIMI_TOOLS,
    hooksHome: { kind: 'dot-home', name: '.kimi', env: ['KIMI_SHARE_DIR'] },
    files: { global: '<hooks-home>/config.toml', project: null },
    timeout: { unit: 'seconds', wholeNumber: true, min: 1 },
    matcher: 'javascript',
    confidence: { evidence: 'public documentation', observed: null },
  },
  'kimi-code': {
    mcp: {
      surface: 'mcp-servers-json',
      files: { global: '<home>/mcp.json', project: '<project>/.kimi-code/mcp.json' },
      form: 'kimi-code',
      cwd: true,
      variables: INHERITED,
    },
    timeout: { unit: 'seconds', wholeNumber: true, min: 1, max: 600 },
    matcher: 'javascript',
    rejectedSyntax: ['bom'],
    confidence: { evidence: 'public documentation', observed: '2.1.0' },
  },
  pi: {
    noSurfaceReason: 'pi runs hooks from extension modules, which this program does not write',
    confidence: { evidence: 'third-party sources', observed: '0.73.1' },
  },
  vscode: {
    noSurfaceReason: 'VS Code has no folder of its own; it reads the hook files of Claude Code and GitHub Copilot',
    alsoReads: [
      { host: 'claude', scopes: ['global', 'project'] },
      { host: 'copilot', scopes: ['global', 'project'] },
    ],
    confidence: { evidence: 'public documentation (preview)', observed: null },
  },
  zcode: {
    noSurfaceReason: 'ZCode has no hook file this program writes',
    confidence: { evidence: 'public documentation', observed: null },
  },
} as const satisfies Readonly<Record<string, HostFacts>>

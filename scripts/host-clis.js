/** The hosts that run offline: their pinned package, and how a turn is run against a model on loopback. */
import { MODEL } from './model-server.js'

/** @typedef {{ args: string[], env: Record<string, string> }} Turn */
/** @typedef {{ id: string, spec: string, program: string, turn: (url: string) => Turn }} HostCli */

const PROMPT = 'Run the check.'

/** @type {readonly HostCli[]} */
export const HOST_CLIS = [
  {
    id: 'claude',
    spec: '@anthropic-ai/claude-code@2.1.332',
    program: 'claude',
    turn: (url) => ({
      args: ['-p', PROMPT, '--model', 'claude-sonnet-4-5', '--allowedTools', 'Bash,mcp__hosts-check'],
      env: {
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'check',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        ENABLE_TOOL_SEARCH: 'false',
      },
    }),
  },
  {
    id: 'codex',
    spec: '@openai/codex@0.171.0',
    program: 'codex',
    turn: (url) => ({
      args: [
        'exec',
        '--skip-git-repo-check',
        '--dangerously-bypass-approvals-and-sandbox',
        // The user reviews hooks in Codex first; the install says so.
        '--dangerously-bypass-hook-trust',
        ...['model_provider="check"', `model="${MODEL}"`].flatMap((setting) => ['-c', setting]),
        '-c',
        `model_providers.check={name="check",base_url="${url}/v1",wire_api="responses"}`,
        PROMPT,
      ],
      env: {},
    }),
  },
  {
    id: 'copilot',
    spec: '@github/copilot@1.0.102',
    program: 'copilot',
    turn: (url) => ({
      args: ['-p', PROMPT, '--allow-all-tools', '--allow-all-paths'],
      env: {
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_API_KEY: 'check',
        COPILOT_MODEL: MODEL,
      },
    }),
  },
  {
    id: 'qwen',
    spec: '@qwen-code/qwen-code@0.24.4',
    program: 'qwen',
    turn: (url) => ({
      args: ['--yolo', '--auth-type', 'openai', PROMPT],
      env: { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'check', OPENAI_MODEL: MODEL },
    }),
  },
  {
    id: 'opencode',
    spec: 'opencode-ai@1.18.33',
    program: 'opencode',
    turn: (url) => ({
      args: ['run', '--auto', '-m', `check/${MODEL}`, PROMPT],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          provider: {
            check: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: `${url}/v1`, apiKey: 'check' },
              models: { [MODEL]: { tool_call: true } },
            },
          },
        }),
      },
    }),
  },
]

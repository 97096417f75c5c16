import type { RuntimeManifest } from '../../manifest/manifest.ts'
import { RUNTIMES } from './built-in-runtimes.ts'
import { describeRuntime } from './described-runtime.ts'
import type { HostRuntime } from './runtime.ts'

/**
 * A host runtime that only a capability describes. What its manifest cannot say is taken from the first built-in host with
 * the same surface; `hookEvents` and `extendedHookEvents` give the events.
 */
export const deriveRuntime = (manifest: RuntimeManifest): HostRuntime => {
  const described = describeRuntime(manifest)
  const { runtime, title } = manifest
  const like = RUNTIMES.find(({ surface }) => surface === described.surface) ?? RUNTIMES[0]
  const family = runtime.hookEvents == null ? like : EVENT_FAMILIES[runtime.hookEvents]
  return {
    ...described,
    ...(described.surface === 'none' ? { noSurfaceReason: `${title} has no hooks that this program writes` } : {}),
    events: [...(family?.events ?? []), ...(runtime.extendedHookEvents ?? [])],
    claudeEvents: family?.claudeEvents ?? {},
    timeout: family?.timeout ?? null,
    matcher: like?.matcher ?? null,
    commandForm: 'shell',
    rejectedSyntax: [],
    alsoReads: [],
    confidence: { evidence: 'its own descriptor', observed: null },
  }
}

const EVENT_FAMILIES = {
  claude: {
    events: ['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Notification'],
    claudeEvents: {},
    timeout: { unit: 'seconds', wholeNumber: true, min: 1 },
  },
  gemini: {
    events: ['SessionStart', 'SessionEnd', 'BeforeTool', 'AfterTool', 'Notification', 'PreCompress'],
    claudeEvents: {
      PreToolUse: 'BeforeTool',
      PostToolUse: 'AfterTool',
      UserPromptSubmit: 'BeforeAgent',
      Stop: 'AfterAgent',
      PreCompact: 'PreCompress',
    },
    timeout: { unit: 'milliseconds', wholeNumber: true, min: 1 },
  },
} as const satisfies Record<string, Pick<HostRuntime, 'events' | 'claudeEvents' | 'timeout'>>

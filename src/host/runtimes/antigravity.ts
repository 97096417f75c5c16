import type { HostRuntime } from './runtime.ts'

export const antigravity: HostRuntime = {
  id: 'antigravity',
  title: 'Antigravity',
  configHome: {
    kind: 'dot-home-nested',
    name: 'antigravity',
    parent: '.gemini',
    env: ['ANTIGRAVITY_CONFIG_DIR'],
    probe: ['antigravity', 'antigravity-ide', 'antigravity-cli'],
    probeExists: 'gsd-core/VERSION',
  },
  localDir: '.agents',
  surface: 'none',
  noSurfaceReason: 'Antigravity keeps hooks in a map of names, for which there is no writer yet',
  files: { global: null, project: null },
  events: ['PreToolUse', 'PostToolUse', 'PreInvocation', 'PostInvocation', 'Stop', 'SessionStart'],
  claudeEvents: {},
  timeout: null,
  matcher: null,
  commandForm: 'shell',
  rejectedSyntax: [],
  alsoReads: [],
  confidence: { evidence: 'third-party sources', observed: null },
}

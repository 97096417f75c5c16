import type { HostRuntime } from './runtime.ts'

export const augment: HostRuntime = {
  id: 'augment',
  title: 'Augment Code',
  configHome: { kind: 'dot-home', name: '.augment', env: ['AUGMENT_CONFIG_DIR'] },
  localDir: '.augment',
  surface: 'settings-json',
  files: { global: '<home>/settings.json', project: '<project>/.augment/settings.local.json' },
  moreFiles: ['<project>/.augment/settings.json'],
  events: ['PreToolUse', 'PostToolUse', 'Stop', 'SessionStart', 'SessionEnd', 'PromptSubmit', 'Notification'],
  claudeEvents: { UserPromptSubmit: 'PromptSubmit' },
  timeout: { unit: 'milliseconds', wholeNumber: true },
  matcher: 'javascript',
  commandForm: 'path',
  rejectedSyntax: [],
  alsoReads: [],
  confidence: { evidence: 'public documentation', observed: '0.36.0 (read from its bundle)' },
}

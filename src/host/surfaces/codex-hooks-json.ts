import { jsonSurface } from './json-surface.ts'

export const codexHooksJson = jsonSurface('codex-hooks-json', {
  grouped: true,
  typed: true,
  commandKey: 'command',
  timeoutKey: 'timeout',
  versioned: false,
  ownFile: false,
})

import { jsonSurface } from './json-surface.ts'

export const copilotInline = jsonSurface('copilot-inline', {
  grouped: false,
  typed: true,
  commandKey: 'command',
  timeoutKey: 'timeoutSec',
  versioned: true,
  ownFile: true,
})

import { jsonSurface } from './json-surface.ts'

export const settingsJson = jsonSurface('settings-json', {
  grouped: true,
  typed: true,
  commandKey: 'command',
  timeoutKey: 'timeout',
  versioned: false,
  ownFile: false,
})

import { jsonSurface } from './json-surface.ts'

export const windsurfHooksJson = jsonSurface('windsurf-hooks-json', {
  grouped: false,
  typed: false,
  commandKey: 'command',
  timeoutKey: null,
  versioned: false,
  ownFile: false,
})

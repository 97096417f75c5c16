import { jsonSurface } from './json-surface.ts'

export const cursorHooksJson = jsonSurface('cursor-hooks-json', {
  grouped: false,
  typed: false,
  commandKey: 'command',
  timeoutKey: 'timeout',
  versioned: true,
  ownFile: false,
})

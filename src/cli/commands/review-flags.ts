import type { Flags } from '../command.ts'

/** What chooses lanes; flags of lanes stand beside these. */
export const SELECTION_FLAGS = {
  'phase-dir': { kind: 'text', value: '<dir>', summary: 'folder of the phase', blank: true },
  all: { kind: 'switch', summary: 'every reviewer that is available' },
  'include-self': { kind: 'switch', summary: 'also the agent that runs this command' },
  timeout: { kind: 'text', value: '<seconds>', summary: 'how long one reviewer may take; default: its own limit' },
  set: { kind: 'list', value: '<key>=<value>', summary: 'configuration of this call; may be given again', whole: true },
} as const satisfies Flags

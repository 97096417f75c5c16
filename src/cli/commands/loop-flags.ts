import type { Flags } from '../command.ts'

/** What every command over the loop takes. */
export const LOOP_FLAGS = {
  runtime: { kind: 'text', value: '<id>', summary: 'host runtime that asks, such as claude', blank: true },
  set: { kind: 'list', value: '<key>=<value>', summary: 'configuration of this call; may be given again', whole: true },
  cwd: { kind: 'text', value: '<dir>', summary: 'work as if started in this folder', blank: true },
} as const satisfies Flags

/** What a host says of its phase. Empty values say nothing. */
export const PHASE_FLAGS = {
  'phase-dir': { kind: 'text', value: '<dir>', summary: 'folder of the phase', blank: true },
  'phase-number': { kind: 'text', value: '<n>', summary: 'number of the phase', blank: true },
  'phase-req-ids': { kind: 'text', value: '<a,b>', summary: 'ids of the requirements of the phase', blank: true },
} as const satisfies Flags

/** Workflows of GSD Core pass it to name the host; here `--runtime` does. */
export const CONFIG_DIR_FLAG = {
  'config-dir': { kind: 'text', value: '<dir>', summary: 'accepted as GSD Core does, without an effect', blank: true },
} as const satisfies Flags

export const RAW_FLAG = {
  raw: { kind: 'switch', summary: 'print the bare JSON document that GSD Core prints' },
} as const satisfies Flags

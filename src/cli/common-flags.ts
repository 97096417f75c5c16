import type { Flags } from './flag.ts'

/** Flags that every command takes (contract, "Command line"). */
export const COMMON_FLAGS = {
  scope: { kind: 'choice', values: ['global', 'project'], summary: 'where to look and act' },
  project: { kind: 'text', value: '<dir>', summary: 'project folder, instead of the nearest one around here' },
  json: { kind: 'switch', summary: 'answer with one JSON document on stdout' },
  yes: { kind: 'switch', summary: 'consent to what is disclosed, without being asked' },
  'dry-run': { kind: 'switch', summary: 'show what would be done and do nothing' },
  quiet: { kind: 'switch', summary: 'no progress and no notices' },
  verbose: { kind: 'switch', summary: 'more detail, also about errors' },
  'no-color': { kind: 'switch', summary: 'no colours (also: NO_COLOR in the environment)' },
  offline: { kind: 'switch', summary: 'do not use the network' },
  'host-version': { kind: 'text', value: '<version>', summary: 'GSD version to judge capabilities against' },
  'first-party': { kind: 'text', value: '<dir>', summary: 'first-party set to use instead of the built-in one' },
  help: { kind: 'switch', summary: 'show help' },
} as const satisfies Flags

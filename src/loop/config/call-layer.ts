import type { ConfigLayer } from './layer.ts'

/** The values that a call brings along: dotted key → value. */
export const callLayer = (values: Readonly<Record<string, unknown>>): ConfigLayer => ({
  origin: 'call',
  file: null,
  values,
  locate: () => null,
  prefix: [],
})

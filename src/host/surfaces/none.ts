import type { Surface } from './surface.ts'

/** A host without a place for hooks: nothing is ever written. */
export const none: Surface = {
  kind: 'none',
  ownFile: false,
  mode: 0o666,
  splice: (text, { containers }) => ({ text, patches: [], containers, warnings: [] }),
}

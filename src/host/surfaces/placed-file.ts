import type { Surface } from './surface.ts'

/**
 * A whole file of ours. Its text is in the patches of the edit that places it; where the text is another one by now, it is
 * the user's and stays.
 */
export const placedFile: Surface = {
  kind: 'placed-file',
  ownFile: true,
  mode: 0o666,
  splice: (text, { containers }) => ({ text, patches: [], containers, warnings: [] }),
}

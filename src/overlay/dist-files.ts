import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the build puts a file of its own, seen from a bundled file, from a chunk of it, and from the sources. */
export const distFilePaths = (name: string): readonly string[] => {
  const here = dirname(fileURLToPath(import.meta.url))
  return [name, `../${name}`, `../../dist/${name}`].map((place) => join(here, place))
}

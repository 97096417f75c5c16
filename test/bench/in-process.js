/**
 * `node in-process.js <what> <home> <project> <cache>`: does one thing in a process of its own and prints how many
 * milliseconds it took, without the start of the process and the reading of the code.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [what = '', home = '', project = '', cache = ''] = process.argv.slice(2)

/** Paths of all files named so below a folder. @param {string} dir @param {(path: string) => boolean} [wanted] @returns {string[]} */
const below = (dir, wanted = () => true) =>
  readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    return entry.isDirectory() ? below(path, wanted) : wanted(path) ? [path] : []
  })

const overlays = join(home, '.gsd/capabilities')

/** What a load reads of the overlays of the budgets. */
const sources = () => below(overlays, (path) => /capability\.json$|note\.md$/.test(path))

/** @param {{ cache?: string | null, project?: string }} [options] */
const load = async (options = {}) => {
  /** @type {typeof import('../../src/loader.ts')} */
  const { loadRegistry } = await import(new URL('../../dist/loader.js', import.meta.url).href)
  return () => loadRegistry({ home, ...options })
}

/** @type {Record<string, () => Promise<() => unknown>>} */
const WORK = {
  // Everything read and judged, and kept for the next process.
  cold: () => load({ cache: null }),
  // As a new process finds it.
  fresh: () => load({ cache }),
  again: async () => {
    const again = await load({ cache })
    await again()
    return again
  },
  consent: () => load({ cache, project }),
  read: async () => {
    const files = sources()
    return () => {
      for (const file of files) {
        const text = readFileSync(file, 'utf8')
        if (file.endsWith('.json')) JSON.parse(text)
      }
    }
  },
  stat: async () => {
    const files = sources()
    return () => files.map((file) => lstatSync(file).mtimeMs)
  },
  walk: async () => () => below(join(project, '.gsd/capabilities')).map((file) => lstatSync(file).mtimeMs),
}

const work = await WORK[what]?.()
const start = performance.now()
await work?.()
process.stdout.write(String(performance.now() - start))

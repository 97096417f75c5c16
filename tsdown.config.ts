import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'
import { buildFirstParty } from './scripts/build-first-party.ts'
import { CHUNKS } from './scripts/chunks.ts'
import { removeStaleOutput } from './scripts/remove-stale-output.ts'
import { noticesOf, packageFolders } from './scripts/third-party-notices.ts'
import { writeAnswers } from './scripts/write-answers.ts'

/** Folders of all packages that end up in `dist`, over both builds. */
const bundled = new Set<string>()
/** Code that belongs into `dist`, which is not emptied first: the program can be run while it is built. */
const written = new Set<string>()
let building = 2

const here = (path: string): string => join(import.meta.dirname, path)

const shared: UserConfig = {
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist',
  logLevel: 'warn',
  clean: false,
  hash: false,
  checks: { legacyCjs: false, pluginTimings: false },
  // Everything is bundled: an installed program reads few files and resolves nothing.
  deps: { onlyBundle: false },
  // `module` before `main`: the UMD main of jsonc-parser requires its parts in a way that no bundler follows.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  hooks: {
    'build:done': ({ chunks }) => {
      const ids = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
      for (const folder of packageFolders(ids)) bundled.add(folder)
      writeFileSync(here('dist/third-party-notices.txt'), noticesOf(bundled))
      for (const { fileName } of chunks) written.add(fileName)
      building -= 1
      if (building === 0) removeStaleOutput(here('dist'), written)
    },
  },
}

export default defineConfig([
  {
    ...shared,
    name: 'cli',
    entry: { cli: 'src/cli/main.ts' },
    // One CommonJS file starts faster than one ES module.
    format: 'cjs',
    dts: false,
    minify: { compress: true, mangle: { toplevel: false }, codegen: true },
    onSuccess: () => {
      buildFirstParty(here('capabilities'), here('dist/first-party.json'))
      writeAnswers(here('dist'))
    },
    outputOptions: {
      chunkFileNames: 'chunks/[name].cjs',
      codeSplitting: { groups: CHUNKS },
    },
  },
  {
    ...shared,
    name: 'library',
    // A bundled CommonJS package reads `__filename`, which an ES module lacks.
    shims: true,
    entry: {
      index: 'src/index.ts',
      loader: 'src/loader.ts',
      loop: 'src/loop.ts',
      review: 'src/review.ts',
      skills: 'src/skills.ts',
      'family-child': 'src/loop/family/child.ts',
    },
    format: 'esm',
    fixedExtension: false,
    // Names stay, for those who read a stack; blanks and comments are half of what would have to be read.
    minify: { compress: false, mangle: false, codegen: true },
    dts: true,
  },
])

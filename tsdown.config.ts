import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type UserConfig } from 'tsdown'
import { buildFirstParty } from './scripts/build-first-party.ts'
import { noticesOf, packageFolders } from './scripts/third-party-notices.ts'

/** Folders of all packages that end up in `dist`, over both builds. */
const bundled = new Set<string>()

const shared: UserConfig = {
  platform: 'node',
  target: 'node20.19',
  outDir: 'dist',
  logLevel: 'warn',
  // Everything is bundled: an installed program reads few files and resolves nothing.
  deps: { onlyBundle: false },
  // `module` before `main`: the UMD main of jsonc-parser requires its parts in a way that no bundler follows.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  hooks: {
    'build:done': ({ chunks }) => {
      const ids = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
      for (const folder of packageFolders(ids)) bundled.add(folder)
      writeFileSync(join(import.meta.dirname, 'dist/third-party-notices.txt'), noticesOf(bundled))
      buildFirstParty(join(import.meta.dirname, 'capabilities'), join(import.meta.dirname, 'dist/first-party.json'))
    },
  },
}

/**
 * The entry asks for the bundler's runtime, though only the chunks use it, and each of them asks for it itself. A file
 * less to read is 2 % of a bare start.
 */
const withoutIdleRequire = {
  name: 'without-idle-require',
  generateBundle(_options: unknown, bundle: Record<string, { type: string; code?: string }>) {
    const entry = bundle['cli.cjs']
    if (entry?.code !== undefined)
      entry.code = entry.code.replace(/^require\(`\.\/chunks\/rolldown-runtime\.cjs`\);/, '')
  },
}

const present = (entries: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(entries).filter(([, file]) => existsSync(file)))

export default defineConfig([
  {
    ...shared,
    name: 'cli',
    entry: { cli: 'src/cli/main.ts' },
    // One CommonJS file starts faster than one ES module.
    format: 'cjs',
    checks: { legacyCjs: false },
    dts: false,
    minify: true,
    plugins: [withoutIdleRequire],
    outputOptions: {
      chunkFileNames: 'chunks/[name].cjs',
      codeSplitting: { groups: [{ name: 'runtime', test: /rolldown.runtime/ }] },
    },
  },
  {
    ...shared,
    name: 'library',
    entry: present({ index: 'src/index.ts', loader: 'src/loader.ts' }),
    format: 'esm',
    fixedExtension: false,
    dts: true,
  },
])

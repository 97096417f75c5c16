import { defineConfig } from 'tsdown'

const shared = {
  platform: 'node',
  target: 'node20.19',
  // Everything is bundled, so that an installed program reads few files and resolves nothing.
  deps: { alwaysBundle: [/./], onlyBundle: false },
  // `module` before `main`: the UMD main of jsonc-parser requires its parts by names that a bundle does not have.
  inputOptions: { resolve: { mainFields: ['module', 'main'] } },
} as const

export default defineConfig([
  {
    ...shared,
    name: 'cli',
    entry: { cli: 'src/cli/main.ts' },
    format: 'cjs',
    dts: false,
    minify: true,
    clean: ['dist'],
  },
])

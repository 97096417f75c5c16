import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsdown'

/**
 * Bundles a script of this folder so that plain Node can run it in a process of its own.
 * @returns its path, alone in a temporary folder that the caller removes
 */
export const buildWorker = async (name: string): Promise<string> => {
  const outDir = mkdtempSync(join(tmpdir(), 'gsd-worker-'))
  await build({
    entry: [join(import.meta.dirname, `${name}.ts`)],
    outDir,
    format: 'esm',
    dts: false,
    config: false,
    logLevel: 'silent',
    platform: 'node',
    deps: { onlyBundle: false },
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
  })
  return join(outDir, `${name}.mjs`)
}

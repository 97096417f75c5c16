/**
 * `node scripts/test-on-node.js 22 24`: runs the end-to-end tests of the built program on other versions of Node, which npm
 * brings into `node_modules/.cache`. Ends with the status of the first that fails.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

/** The binary of one major version. @param {string} major */
const nodeOf = (major) => {
  const folder = join(ROOT, 'node_modules/.cache/node', major)
  const binary = join(folder, 'node_modules/node/bin/node')
  if (existsSync(binary)) return binary
  mkdirSync(folder, { recursive: true })
  // A folder of its own, and no --prefix: with that npm would not read the machine's own configuration.
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error', `node@${major}`]
  const install = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' })
  if (install.status === 0 && existsSync(binary)) return binary
  throw new Error(`Node ${major} cannot be installed:\n${install.stdout}${install.stderr}`)
}

for (const major of process.argv.slice(2)) {
  const node = nodeOf(major)
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` }
  const run = spawnSync(node, [VITEST, 'run', 'test/e2e'], { cwd: ROOT, env, stdio: 'inherit' })
  if (run.status !== 0) {
    process.stderr.write(`the end-to-end tests failed on Node ${major}\n`)
    process.exit(run.status ?? 1)
  }
}

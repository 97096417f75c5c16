import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'

const LOADER = pathToFileURL(join(import.meta.dirname, '../../dist/loader.js')).href

let machine: Machine
beforeEach(() => {
  machine = makeMachine()
})
afterEach(() => machine.remove())

it('the built library writes a snapshot for the next process', () => {
  const capabilities = join(machine.home, '.gsd/capabilities')
  for (let at = 0; at < 100; at += 1) {
    const folder = join(capabilities, `cap-${at}`)
    mkdirSync(folder, { recursive: true })
    const manifest = {
      id: `cap-${at}`,
      role: 'feature',
      version: '1.0.0',
      title: 'One',
      description: 'One.',
      tier: 'core',
    }
    const lists = { requires: [], skills: [], agents: [], steps: [], contributions: [], gates: [], config: {} }
    const runtimeCompat = { supported: ['*'], unsupported: [] }
    writeFileSync(
      join(folder, 'capability.json'),
      JSON.stringify({ ...manifest, ...lists, engines: {}, runtimeCompat }),
    )
  }
  const cache = join(machine.root, 'library-cache')
  const script = `const { loadRegistry } = await import(${JSON.stringify(LOADER)})
    await loadRegistry({ home: ${JSON.stringify(machine.home)}, cache: ${JSON.stringify(cache)} })`
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env: machine.env, encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0, stderr: '' })
  expect(readdirSync(join(cache, 'registry')).filter((name) => name.endsWith('.snapshot'))).toHaveLength(1)
})

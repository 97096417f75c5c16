import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { LoopOptions } from '../../src/loop.ts'
import type { FeatureManifest } from '../../src/manifest/manifest.ts'
import type { Registry } from '../../src/registry/registry.ts'
import { createMachine, grantConsent, load, type Machine, writeBundle, writeFileIn } from '../overlay/test-machine.ts'

/** A home and a project with an empty first-party set, and what the loop makes of them. */
export interface LoopFixture {
  readonly machine: Machine
  readonly project: string
  readonly home: string
  /** Where a call of the library looks. */
  readonly options: LoopOptions
  /** Puts a capability into the global scope. */
  global(manifest: FeatureManifest, files?: Readonly<Record<string, string>>): string
  /** Puts a capability into the project, with the user's consent. */
  trusted(manifest: FeatureManifest, files?: Readonly<Record<string, string>>): string
  /** Writes the project's configuration, as text or as JSON. */
  config(value: unknown): string
  /** Writes the user's defaults. */
  defaults(value: unknown): void
  /** Writes a file below the project. */
  file(path: string, content: string): string
  load(): Promise<Registry>
}

export const useLoop = (): LoopFixture => {
  let machine: Machine
  beforeEach(() => {
    machine = createMachine()
  })
  afterEach(() => rmSync(machine.base, { recursive: true, force: true }))
  const write = (file: string, content: string): string => {
    writeFileIn(file, content)
    return file
  }
  return {
    get machine() {
      return machine
    },
    get project() {
      return machine.project
    },
    get home() {
      return machine.home
    },
    get options() {
      return { home: machine.home, project: machine.project }
    },
    global: (manifest, files = {}) => writeBundle(machine.home, manifest, files),
    trusted: (manifest, files = {}) => {
      const dir = writeBundle(machine.project, manifest, files)
      grantConsent(machine, machine.project, manifest)
      return dir
    },
    config: (value) =>
      write(
        join(machine.project, '.planning/config.json'),
        typeof value === 'string' ? value : JSON.stringify(value, null, 2),
      ),
    defaults: (value) =>
      void write(join(machine.home, '.gsd/config.json'), JSON.stringify({ schema: 1, defaults: value })),
    file: (path, content) => write(join(machine.project, path), content),
    load: async () => (await load(machine)).registry,
  }
}

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from 'vitest'
import { hashTree } from '../../src/bundle/hash-tree.ts'
import type { Manifest } from '../../src/manifest/manifest.ts'
import { readBundleFacts } from '../../src/overlay/bundle-facts.ts'
import { createRecentLoads } from '../../src/overlay/cache/recent-loads.ts'
import { loadFromRequest } from '../../src/overlay/load-registry.ts'
import type { LoadedRegistry } from '../../src/overlay/loaded-registry.ts'
import { type LoadRequest, readRegistry } from '../../src/overlay/read-registry.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { ProcessMemory } from '../../src/process-memory.ts'
import { resolvePaths, scopesOf } from '../../src/state/config/resolve-paths.ts'
import { consentKey, fileFingerprint } from '../../src/state/grants.ts'

/** A fresh machine: a home and a project next to each other, and an empty first-party set. */
export interface Machine {
  readonly base: string
  readonly home: string
  readonly project: string
  readonly firstParty: string
  /** Belongs to the process that loads; see {@link restart}. */
  memory: ProcessMemory
}

const created: string[] = []
afterAll(() => {
  for (const base of created.splice(0)) rmSync(base, { recursive: true, force: true })
})

export const createMachine = (): Machine => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-overlay-')))
  created.push(base)
  chmodSync(base, 0o755)
  const folder = (name: string): string => {
    mkdirSync(join(base, name))
    return join(base, name)
  }
  return {
    base,
    home: folder('home'),
    project: folder('project'),
    firstParty: folder('first-party'),
    memory: new ProcessMemory(),
  }
}

/** Writes a file and its parent folders. */
export const writeFileIn = (file: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

/** Writes a bundle into a scope root; returns its folder. */
export const writeBundle = (root: string, manifest: Manifest, files: Readonly<Record<string, string>> = {}): string => {
  const dir = join(root, '.gsd/capabilities', manifest.id)
  writeFileIn(join(dir, 'capability.json'), JSON.stringify(manifest))
  for (const [path, content] of Object.entries(files)) writeFileIn(join(dir, path), content)
  return dir
}

/** The user's grant for a project's overlay in its current state. */
export const grantConsent = ({ home }: Machine, project: string, manifest: Manifest): void => {
  const dir = join(project, '.gsd/capabilities', manifest.id)
  const { digest, surfaces } = readBundleFacts(realDisk, dir, manifest)
  const files = Object.fromEntries(hashTree(dir, realDisk).files.map((file) => [file.path, fileFingerprint(file)]))
  const record = {
    scope: 'project',
    project,
    id: manifest.id,
    version: manifest.version,
    digest,
    surfaces,
    files,
    granted: '2026-01-01T00:00:00.000Z',
  }
  writeFileIn(
    join(home, '.gsd/grants.json'),
    JSON.stringify({ schema: 1, grants: { [consentKey('project', project, manifest.id)]: record } }),
  )
}

export interface LoadSettings {
  readonly project?: string | null
  readonly gsdHome?: string
  readonly hostVersion?: string
  readonly cache?: string
  readonly now?: () => number
}

const loadRequest = (on: Machine, options: LoadSettings): LoadRequest => {
  const paths = resolvePaths({
    cwd: on.base,
    home: on.home,
    gsdHome: options.gsdHome,
    project: options.project === undefined ? on.project : options.project,
  })
  return {
    user: paths.user,
    scopes: scopesOf(paths),
    hostVersion: { version: options.hostVersion ?? '1.14.0', from: 'built-in' },
    firstParty: on.firstParty,
    cache: options.cache ?? null,
    usesSnapshot: true,
    now: options.now ?? Date.now,
  }
}

export const load = (on: Machine, options: LoadSettings = {}): Promise<LoadedRegistry> =>
  loadFromRequest(loadRequest(on, options), on.memory)

/** Waits for pending writes of snapshots; the next load is like that of a new process. */
export const restart = async (on: Machine): Promise<void> => {
  await on.memory.once(createRecentLoads).written
  on.memory = new ProcessMemory()
}

/** Loads from the disk only, without a cache. */
export const loadUncached = (on: Machine, options: LoadSettings = {}): LoadedRegistry =>
  readRegistry(loadRequest(on, options), null).load.loaded

/** `id/scope` → `status CODE`. */
export const statuses = (loaded: LoadedRegistry): Record<string, string> =>
  Object.fromEntries(
    loaded.rows.map((row) => [`${row.id}/${row.scope}`, row.code === null ? row.status : `${row.status} ${row.code}`]),
  )

export const LEDGER_ENTRY = {
  version: '1.0.0',
  spec: './x',
  resolved: { kind: 'local', path: './x' },
  integrity: null,
  digest: `sha512-${Buffer.alloc(64).toString('base64')}`,
  requires: [],
  surfaces: '',
  runtimes: [],
}

export const writeLedger = (root: string, ids: readonly string[]): void =>
  writeFileIn(
    join(root, '.gsd/ledger.json'),
    JSON.stringify({ schema: 1, capabilities: Object.fromEntries(ids.map((id) => [id, LEDGER_ENTRY])) }),
  )

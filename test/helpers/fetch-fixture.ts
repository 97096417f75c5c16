import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { Report } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import { catalogHashes } from '../../src/fetch/catalog/catalog-hashes.ts'
import { fetchSpec } from '../../src/fetch/fetch-spec.ts'
import type { FetchContext, FetchResult } from '../../src/fetch/fetcher.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { ProcessMemory } from '../../src/process-memory.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import type { AuthSource } from '../../src/state/config/user-config.ts'
import type { UserPaths } from '../../src/state/scope-paths.ts'
import { authorityFile } from './test-authority.ts'

export interface FetchFixtureOptions extends Partial<Omit<FetchContext, 'config' | 'env'>> {
  readonly env?: Readonly<Record<string, string>>
  readonly auth?: Readonly<Record<string, AuthSource>>
  readonly catalogs?: Readonly<Record<string, string>>
}

/** A scratch folder with a home and a cache for each test of a file. */
export interface FetchFixture {
  readonly dir: string
  at(...path: readonly string[]): string
  readonly reports: readonly Report[]
  context(choices?: FetchFixtureOptions): FetchContext
  fetch(text: string, choices?: FetchFixtureOptions): Promise<FetchResult>
  /** The error of a fetch; a successful fetch fails the test. */
  failure(text: string, choices?: FetchFixtureOptions): Promise<GsdError>
}

export const useFetchFixture = (): FetchFixture => {
  let dir = ''
  let reports: Report[] = []
  let memory = new ProcessMemory()
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-fetch-')))
    reports = []
    memory = new ProcessMemory()
    mkdirSync(join(dir, 'home'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const context = ({ env = {}, auth = {}, catalogs = {}, ...choices }: FetchFixtureOptions = {}): FetchContext => ({
    disk: realDisk,
    home: join(dir, 'home'),
    scopeRoots: [join(dir, 'home', '.gsd')],
    signal: new AbortController().signal,
    env: { PATH: process.env['PATH'] ?? '', HOME: join(dir, 'home'), GIT_SSL_CAINFO: authorityFile(), ...env },
    cache: join(dir, 'cache'),
    offline: false,
    fetchTimeout: 600_000,
    allowHttp: false,
    checkPolicy: null,
    config: () => ({ auth: new Map(Object.entries(auth)), catalogs: new Map(Object.entries(catalogs)), folder: dir }),
    report: (report) => void reports.push(report),
    expectedIntegrity: null,
    viaCatalog: null,
    pinnedCommit: null,
    catalogHashes: catalogHashes({ user: { catalogs: join(dir, 'catalogs.json') } as UserPaths, memory }),
    loadedCatalogs: new Map(),
    ...choices,
  })
  const fetch = (text: string, choices: FetchFixtureOptions = {}): Promise<FetchResult> => {
    const made = context(choices)
    return fetchSpec(parseSpec(text, { cwd: dir, home: made.home, allowHttp: made.allowHttp }), made)
  }
  return {
    get dir() {
      return dir
    },
    get reports() {
      return reports
    },
    at: (...path) => join(dir, ...path),
    context,
    fetch,
    failure: (text, choices = {}) => failureOf(fetch(text, choices)),
  }
}

/** The error of a piece of work. */
export const failureOf = async (work: Promise<unknown>): Promise<GsdError> => {
  try {
    await work
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

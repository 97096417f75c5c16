import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { AuthSource } from '../../src/config/user-config.ts'
import type { Report } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import { fetchSpec } from '../../src/fetch/fetch-spec.ts'
import type { FetchContext, Fetched } from '../../src/fetch/fetched.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import { realDisk } from '../../src/store/real-disk.ts'
import { authorityFile } from './authority.ts'

export interface FetchChoices extends Partial<Omit<FetchContext, 'config' | 'env'>> {
  readonly env?: Readonly<Record<string, string>>
  readonly auth?: Readonly<Record<string, AuthSource>>
  readonly catalogs?: Readonly<Record<string, string>>
}

/** A scratch folder with a home and a cache for each test of a file. */
export interface FetchRoom {
  readonly dir: string
  at(...path: readonly string[]): string
  readonly reports: readonly Report[]
  context(choices?: FetchChoices): FetchContext
  fetch(text: string, choices?: FetchChoices): Promise<Fetched>
  /** The error that fetching ends in; being fetched is a failure of the test. */
  failure(text: string, choices?: FetchChoices): Promise<GsdError>
}

export const useFetchRoom = (): FetchRoom => {
  let dir = ''
  let reports: Report[] = []
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-fetch-')))
    reports = []
    mkdirSync(join(dir, 'home'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  const context = ({ env = {}, auth = {}, catalogs = {}, ...choices }: FetchChoices = {}): FetchContext => ({
    disk: realDisk,
    home: join(dir, 'home'),
    roots: [join(dir, 'home', '.gsd')],
    signal: new AbortController().signal,
    env: { PATH: process.env['PATH'] ?? '', HOME: join(dir, 'home'), GIT_SSL_CAINFO: authorityFile(), ...env },
    cache: join(dir, 'cache'),
    offline: false,
    allowHttp: false,
    allow: null,
    config: () => ({ auth: new Map(Object.entries(auth)), catalogs: new Map(Object.entries(catalogs)), folder: dir }),
    report: (report) => void reports.push(report),
    expected: null,
    catalog: null,
    commit: null,
    brought: new Map(),
    ...choices,
  })
  const fetch = (text: string, choices: FetchChoices = {}): Promise<Fetched> => {
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

/** The error that some work ends in. */
export const failureOf = async (work: Promise<unknown>): Promise<GsdError> => {
  try {
    await work
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

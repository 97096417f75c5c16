import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Diagnostic } from '../../src/diagnostic.ts'
import type { ErrorObject } from '../../src/errors.ts'
import { bundleFiles } from './scratch.ts'

/** The built program, as it is installed. */
export const GSD = join(import.meta.dirname, '../../bin/gsd.js')

/** A machine of its own for one test: a home and a project, and nothing of the real environment but PATH. */
export interface Machine {
  /** Contains everything below; real path. */
  readonly root: string
  readonly home: string
  /** Has a `.git` folder, so that it is found as a project from a subfolder. */
  readonly project: string
  readonly env: Readonly<Record<string, string>>
  gsd(args: readonly string[], options?: RunOptions): Promise<Run>
  /** Starts the program and leaves it running: for signals, pipes and locks. */
  start(args: readonly string[], options?: RunOptions): ChildProcess
  /** Writes a file below the root, with its parent folders. Returns its path. */
  put(path: string, content: string, mode?: number): string
  /** Writes a bundle with a hook below `bundles/`. Returns its folder. */
  bundle(id: string, manifest?: Record<string, unknown>, files?: Readonly<Record<string, string>>): string
  remove(): void
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Text on stdin; none: stdin is empty. */
  readonly input?: string
  readonly uid?: number
  readonly gid?: number
}

export interface Run {
  /** Exit status, or null when a signal ended it. */
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** stdout as the one JSON document it must be. */
  readonly json: JsonAnswer
}

export interface JsonAnswer {
  readonly ok: boolean
  // Each test asserts the shape of `data` itself.
  readonly data: Readonly<Record<string, unknown>>
  readonly error: ErrorObject
  readonly warnings: readonly Diagnostic[]
}

/** A home then contains only what the commands write there; `start.test.ts` tests that cache. */
const NO_COMPILE_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' }

/** Makes a machine under the system's folder for temporary files. `name` may contain any character of a path. */
export const makeMachine = (name = 'gsd'): Machine => {
  const root = mkdtempSync(join(tmpdir(), `${name}-`))
  const home = join(root, 'home')
  const project = join(root, 'project')
  for (const folder of [home, join(project, '.git')]) mkdirSync(folder, { recursive: true })
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_CACHE_HOME: join(root, 'cache'),
    TMPDIR: tmpdir(),
    ...NO_COMPILE_CACHE,
  }
  const start = (args: readonly string[], options: RunOptions = {}): ChildProcess => {
    const { cwd = project, uid, gid } = options
    return spawn(process.execPath, [GSD, ...args], {
      cwd,
      env: { ...env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    })
  }
  const put = (path: string, content: string, mode?: number): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    if (mode !== undefined) chmodSync(file, mode)
    return file
  }
  return {
    root,
    home,
    project,
    env,
    start,
    gsd: (args, options = {}) => {
      const child = start(args, options)
      child.stdin?.on('error', () => {})
      child.stdin?.end(options.input ?? '')
      return waitForExit(child)
    },
    put,
    bundle: (id, manifest = {}, files = {}) => {
      for (const [path, content] of Object.entries({ ...bundleFiles(id, manifest), ...files }))
        put(`bundles/${id}/${path}`, content)
      return join(root, 'bundles', id)
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** The whole output of a child. */
export const waitForExit = async (child: ChildProcess): Promise<Run> => {
  const chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  child.stdout?.on('data', (chunk: Buffer) => chunks.stdout.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => chunks.stderr.push(chunk))
  const [status, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, by) => resolve([code, by]))
  })
  const stdout = Buffer.concat(chunks.stdout).toString()
  return {
    status,
    signal,
    stdout,
    stderr: Buffer.concat(chunks.stderr).toString(),
    get json() {
      return JSON.parse(stdout) as JsonAnswer
    },
  }
}

import { join } from 'node:path'
import { GsdError } from '../../errors.ts'
import { formatSize } from '../../format-size.ts'
import type { Disk } from '../../platform/disk.ts'
import { removeEmptyFolders, removeTree, withFolder } from '../../platform/folders.ts'
import { checkCacheFolder } from '../../platform/private-folder.ts'
import type { ProcessResult } from '../../platform/process.ts'
import { quote } from '../../redact.ts'
import { removeStaleTemporaries, temporaryName, writeCacheFile } from '../cache/cache-file.ts'
import type { FetchContext } from '../fetcher.ts'
import { runTool, type Tool } from '../run-tool.ts'

/** npm in a temporary folder with its own cache. */
export interface Npm {
  readonly dir: string
  /** Runs npm, whatever its exit status. `operands` follow `--`. */
  run(args: readonly string[], operands: readonly string[]): Promise<ProcessResult>
}

/** Bytes that npm may write: its cache, and the package. */
const MAX_BYTES = 1024 * 1024 * 1024

/** Override the user's settings, so that nothing is run (security, "npm"). */
const npmOptions = (dir: string): readonly string[] => [
  '--json',
  '--ignore-scripts',
  `--cache=${join(dir, 'cache')}`,
  '--no-dry-run',
  '--no-global',
  '--no-workspaces',
  '--no-update-notifier',
  '--no-color',
  '--loglevel=error',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  // A registry may name a repository instead of a tarball.
  `--git=${join(dir, 'no-git')}`,
]

/** Older versions of npm silently ignore these. */
const REGISTRY_ONLY = {
  npm_config_allow_git: 'none',
  npm_config_allow_file: 'none',
  npm_config_allow_directory: 'none',
}

/** Inherited when npm itself runs this program; the workspaces do not exist here. */
const isWorkspaceVariable = (name: string): boolean => /^npm_config_workspaces?$/i.test(name)

/** Runs `work` with npm in a temporary folder. @throws FETCH_NO_NPM, FETCH_TIMEOUT, STATE_*, INTERRUPTED */
export const withNpm = async <T>(context: FetchContext, name: string, work: (npm: Npm) => Promise<T>): Promise<T> => {
  const { disk, cache, env, signal } = context
  const inherited = Object.fromEntries(Object.entries(env).filter(([key]) => !isWorkspaceVariable(key)))
  const folder = join(cache, 'npm')
  const deadline = performance.now() + context.fetchTimeout
  checkCacheFolder(disk, cache, folder)
  removeStaleTemporaries(disk, { cache, folder })
  const dir = join(folder, temporaryName())
  withFolder(disk, folder, () => disk.mkdirSync(dir, 0o700), 0o700)
  try {
    // Ends npm's search for a project and its `.npmrc` here. `--prefix` would also disable the machine's npmrc.
    writeCacheFile(disk, { cache, file: join(dir, 'package.json') }, Buffer.from('{}\n'))
    return await work({
      dir,
      run: ([command = '', ...args], operands) =>
        runTool(npmTool(name), {
          args: [command, ...args, ...npmOptions(dir), '--', ...operands],
          cwd: dir,
          env: { ...inherited, ...REGISTRY_ONLY },
          timeout: Math.max(1, Math.round(deadline - performance.now())),
          signal,
          onTick: () => checkSize(sizeOf(disk, dir), name),
        }),
    })
  } finally {
    removeTree(disk, dir)
    removeEmptyFolders(disk, [cache, folder])
  }
}

const npmTool = (name: string): Tool => ({
  file: 'npm',
  source: `npm:${name}`,
  missing: {
    code: 'FETCH_NO_NPM',
    hint: 'install npm, which comes with Node.js, or install from git or an archive instead',
  },
  timeoutHint: 'try again; --timeout <seconds> allows more; npm ping says whether the registry answers',
  tooLarge: (cause) => tooLarge(name, cause),
})

const checkSize = (size: number, name: string): void => {
  if (size > MAX_BYTES) throw tooLarge(name)
}

const tooLarge = (name: string, cause?: unknown): GsdError =>
  new GsdError(
    'ARCHIVE_TOO_LARGE',
    `the registry sends more than ${formatSize(MAX_BYTES)} for ${quote(`npm:${name}`)}`,
    {
      hint: 'inspect it with npm view',
      cause,
    },
  )

const sizeOf = (disk: Disk, path: string): number => {
  try {
    const stats = disk.lstatSync(path)
    if (!stats.isDirectory()) return stats.size
    return disk.readdirSync(path).reduce((sum, name) => sum + sizeOf(disk, join(path, name)), 0)
  } catch {
    // npm moves and deletes files while it works.
    return 0
  }
}

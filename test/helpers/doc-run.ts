import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type DocStep, docStepsOf, ROOT } from './doc-page.ts'
import { type DocServers, startDocServers } from './doc-servers.ts'
import { waitForExit, GSD } from './gsd.ts'

/** The result of one command of a page. */
export interface StepResult {
  readonly step: Extract<DocStep, { kind: 'run' }>
  /** stdout and stderr as a terminal shows them, without the scratch folder; null when it did not run. */
  readonly output: string | null
  readonly status: number | null
}

/**
 * Runs every command of a page, in one shell, as a new user would: in a home of their own (`/home/you`) with the
 * repository cloned to `~/gsd-capability` and `gsd` on the PATH. Hosts below `example.org` that a page uses
 * exist.
 */
export const runPage = async (page: string): Promise<StepResult[]> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-docs-')))
  const acts = docStepsOf(page)
  let web: DocServers | null = null
  try {
    if (acts.some(needsWeb)) web = await startDocServers(join(root, 'home/you'))
    return await run(acts, root, web?.env ?? {})
  } finally {
    await web?.close()
    rmSync(root, { recursive: true, force: true })
  }
}

const needsWeb = (act: DocStep): boolean => /\.example\.org|\bnpm[: ]/.test(act.kind === 'run' ? act.command : act.text)

const run = async (
  acts: readonly DocStep[],
  root: string,
  webEnv: Readonly<Record<string, string>>,
): Promise<StepResult[]> => {
  const home = join(root, 'home/you')
  const clone = join(home, 'gsd-capability')
  for (const folder of [home, join(root, 'bin'), join(root, 'out')]) mkdirSync(folder, { recursive: true })
  for (const folder of ['fixtures/bundles', 'capabilities'])
    cpSync(join(ROOT, folder), join(clone, folder), { recursive: true })
  writeFileSync(join(root, 'bin/gsd'), `#!/bin/sh\nexec '${process.execPath}' '${GSD}' "$@"\n`)
  chmodSync(join(root, 'bin/gsd'), 0o755)
  // For pages on the library: the package that `npm install` would have installed.
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(ROOT, join(home, 'node_modules/gsd-capability'))

  // The shell writes the file, because its path depends on the reader's working directory.
  for (const [index, act] of acts.entries())
    if (act.kind === 'file') writeFileSync(join(root, `out/${index}.file`), act.text)
  const script = acts.map((act, index) => step(act, join(root, `out/${index}`))).join('\n')

  const child = spawn('sh', ['-c', script], {
    cwd: home,
    env: {
      PATH: `${join(root, 'bin')}:${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: home,
      XDG_CACHE_HOME: join(root, 'cache'),
      NODE_DISABLE_COMPILE_CACHE: '1',
      LC_ALL: 'C.UTF-8',
      ...webEnv,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  await waitForExit(child)
  return acts.flatMap((act, index) =>
    act.kind === 'run'
      ? [
          {
            step: act,
            output: read(join(root, `out/${index}`), root),
            status: statusOf(join(root, `out/${index}.status`)),
          },
        ]
      : [],
  )
}

const step = (act: DocStep, to: string): string => {
  if (act.kind === 'file') {
    const path = act.path.replace(/^~\//, '"$HOME"/')
    return `mkdir -p ${dirname(path)} && cp '${to}.file' ${path} || exit 1`
  }
  // In braces, so that `cd` persists; with -e, so that no line may fail. A command meant to fail gets a subshell.
  return act.status === 0
    ? `set -e\n{ ${act.command}} >'${to}' 2>&1\nset +e\necho 0 >'${to}.status'`
    : `( ${act.command}) >'${to}' 2>&1\necho $? >'${to}.status'`
}

const read = (file: string, root: string): string | null => {
  try {
    return readFileSync(file, 'utf8').replaceAll(root, '')
  } catch {
    return null
  }
}

const statusOf = (file: string): number | null => {
  const text = read(resolve(file), '\0')
  return text === null ? null : Number(text)
}

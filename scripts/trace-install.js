/**
 * `node scripts/trace-install.js`: how much of the source one install walks through. Runs
 * `install 'github:o/r#v1&path:sub' --runtime claude` from the text in `src` and prints how many files it enters, how many
 * functions it calls, and how often it changes room. Everything happens in a scratch folder; GitHub is a local repository.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = join(import.meta.dirname, '..')
const SRC = join(ROOT, 'src')

/** The second process: runs the program with a call counted at the start of each function. */
const trace = async () => {
  /** @type {string[]} */
  const entered = []
  Object.assign(globalThis, { __enter: (/** @type {string} */ file) => entered.push(file) })
  register('./trace-loader.js', import.meta.url)
  process.on('exit', () => {
    const rooms = entered.map(roomOf)
    const changes = rooms.filter((room, at) => at > 0 && room !== rooms[at - 1]).length
    const files = new Set(entered)
    writeFileSync(process.env['GSD_TRACE'] ?? '', JSON.stringify({ files: files.size, calls: entered.length, changes }))
  })
  process.argv.splice(2, 1)
  await import(join(SRC, 'cli/main.ts'))
}

/** The folder below `src`. @param {string} file */
const roomOf = (file) =>
  file
    .slice(SRC.length + 1)
    .split('/')
    .slice(0, -1)
    .slice(0, 1)
    .join('/')

const prepare = () => {
  const scratch = mkdtempSync(join(tmpdir(), 'gsd-trace-'))
  const home = join(scratch, 'home')
  const work = join(scratch, 'work')
  const repository = join(scratch, 'remote/o/r.git')
  for (const folder of [join(home, '.claude'), join(work, 'sub/hooks')]) mkdirSync(folder, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(ROOT, 'fixtures/bundles/hello-hook/capability.json'), 'utf8'))
  const copied = spawnSync('cp', ['-R', `${join(ROOT, 'fixtures/bundles/hello-hook')}/.`, join(work, 'sub')])
  if (copied.status !== 0 || manifest.id !== 'hello-hook') throw new Error('the example bundle is not there')
  writeFileSync(
    join(home, '.gitconfig'),
    `[url "file://${scratch}/remote/"]\n  insteadOf = https://github.com/\n[user]\n  name = a\n  email = a@example.org\n`,
  )
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CACHE_HOME: join(scratch, 'cache') }
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'one'],
    ['tag', 'v1'],
    ['clone', '-q', '--bare', '.', repository],
  ]) {
    const run = spawnSync('git', args, { cwd: work, env, encoding: 'utf8' })
    if (run.status !== 0) throw new Error(run.stderr)
  }
  return { scratch, env }
}

const measure = () => {
  const { scratch, env } = prepare()
  try {
    const out = join(scratch, 'trace.json')
    const args = ['capability', 'install', 'github:o/r#v1&path:sub', '--runtime', 'claude', '--yes']
    const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--traced', ...args], {
      cwd: scratch,
      env: { ...env, GSD_TRACE: out },
      encoding: 'utf8',
    })
    if (run.status !== 0) throw new Error(`the install ended with ${run.status}:\n${run.stderr}`)
    const { files, calls, changes } = JSON.parse(readFileSync(out, 'utf8'))
    process.stdout.write(`files entered ${files}, function calls ${calls}, changes of room ${changes}\n`)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

if (process.argv[2] === '--traced') await trace()
else measure()

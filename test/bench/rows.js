import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hookFiles, largeFiles, writeFiles, writeOverlays } from './bundle.js'
import { SKILLS_ROWS } from './skills-rows.js'

const GSD = join(import.meta.dirname, '../../bin/gsd.js')

/**
 * @typedef {object} Command What is timed: one process.
 * @property {readonly string[]} argv the program and its arguments
 * @property {string} [input] text on stdin
 * @property {() => void} [before] brings everything back to where a run starts; not timed
 *
 * @typedef {object} Row
 * @property {string} work
 * @property {number} budget largest allowed ratio of `command` to `base`
 * @property {number} [memory] largest allowed peak of `command`, in MiB
 * @property {number} [runs] fewer runs for what takes long
 * @property {boolean} [printed] what a process prints is the time that counts, in milliseconds
 * @property {string} base what it is measured against, in words
 * @property {(place: Place) => { command: Command, base?: Command }} prepare without `base`: bare node
 *
 * @typedef {object} Place A scratch home and project.
 * @property {string} home
 * @property {string} project
 * @property {string} root
 */

/** @param {...string} args */
const gsd = (...args) => [process.execPath, GSD, ...args]

export const BARE = { argv: [process.execPath, '-e', '0'] }

/** @type {(...args: string[]) => Row['prepare']} */
const simply =
  (...args) =>
  () => ({ command: { argv: gsd(...args) } })

/** @type {(count: number) => Row['prepare']} */
const listOf = (count) => (place) => {
  writeOverlays(place.home, count)
  waitForStableStamps()
  run(place, 'capability', 'list')
  return { command: { argv: gsd('capability', 'list') } }
}

/** @type {(count: number) => Row['prepare']} */
const firstListOf = (count) => (place) => {
  writeOverlays(place.home, count)
  waitForStableStamps()
  const before = () => rmSync(join(place.root, 'cache'), { recursive: true, force: true })
  return { command: { argv: gsd('capability', 'list'), before } }
}

/** The same of a rendered point. @type {(count: number) => Row['prepare']} */
const renderOf = (count) => (place) => {
  writeOverlays(place.home, count)
  waitForStableStamps()
  run(place, 'loop', 'render', 'plan:pre')
  return { command: { argv: gsd('loop', 'render', 'plan:pre') } }
}

/** What is younger than two seconds is looked at anew each time. */
const waitForStableStamps = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)

/** One thing in a process, that prints how long it took. @param {Place} place @param {string} what @returns {Command} */
const inProcess = ({ home, project, root }, what) => ({
  argv: [process.execPath, join(import.meta.dirname, 'in-process.js'), what, home, project, join(root, 'cache')],
})

/** @type {(count: number, what: string, base: string) => Row['prepare']} */
const loadOf = (count, what, base) => (place) => {
  writeOverlays(place.home, count)
  waitForStableStamps()
  if (what !== 'cold') spawnSync(process.execPath, inProcess(place, 'fresh').argv.slice(1), { env: envOf(place) })
  return { command: inProcess(place, what), base: inProcess(place, base) }
}

/** The same work on ten times as much. @type {(what: string) => Row['prepare']} */
const tenfold = (what) => (place) => {
  const small = { ...place, home: join(place.root, 'small'), root: join(place.root, 'small-root') }
  for (const [one, count] of /** @type {const} */ ([
    [place, 10_000],
    [small, 1000],
  ])) {
    writeOverlays(one.home, count)
    waitForStableStamps()
    spawnSync(process.execPath, inProcess(one, 'fresh').argv.slice(1), { env: envOf(one) })
  }
  return { command: inProcess(place, what), base: inProcess(small, what) }
}

/** Runs a command as preparation; its failure is ours. @param {Place} place @param {...string} args */
const run = (place, ...args) => {
  const done = spawnSync(process.execPath, [GSD, ...args], { cwd: place.project, env: envOf(place), encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`gsd ${args.join(' ')} ended with ${done.status}: ${done.stderr}`)
}

/** @param {Place} place @returns {Record<string, string>} */
export const envOf = (place) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: place.home,
  XDG_CACHE_HOME: join(place.root, 'cache'),
})

/** @param {Place} place */
const wipe = (place) => {
  for (const folder of ['.gsd', '.claude']) rmSync(join(place.home, folder), { recursive: true, force: true })
  mkdirSync(join(place.home, '.claude'))
  writeFileSync(join(place.home, '.claude/settings.json'), '{\n  "model": "opus"\n}\n')
}

/** @param {Place} place @param {import('./bundle.js').Files} files */
const installFromGit = (place, files) => {
  const [source, repository, fetched, out] = ['source', 'repository.git', 'fetched', 'out'].map((name) =>
    join(place.root, name),
  )
  writeFiles(source ?? '', files)
  const commit =
    'git init -q "$1" && cd "$1" && git add -A && git -c user.name=a -c user.email=a@example.org commit -qm x && git tag v1.0.0 && git clone -q --bare . "$2"'
  spawnSync('sh', ['-c', commit, 'sh', source ?? '', repository ?? ''], { env: envOf(place) })
  const plainly =
    'git --git-dir="$2" fetch -q --depth 1 "file://$1" v1.0.0 && git --git-dir="$2" archive FETCH_HEAD | tar x -C "$3" && sync -f "$3" && "$4" -e 0'
  return {
    command: {
      argv: gsd('capability', 'install', `file://${repository}#v1.0.0`, '--yes'),
      before: () => {
        wipe(place)
        rmSync(join(place.root, 'cache'), { recursive: true, force: true })
      },
    },
    base: {
      argv: ['sh', '-c', plainly, 'sh', repository ?? '', fetched ?? '', out ?? '', process.execPath],
      before: () => {
        for (const folder of [fetched ?? '', out ?? '']) rmSync(folder, { recursive: true, force: true })
        mkdirSync(out ?? '')
        spawnSync('git', ['init', '-q', '--bare', fetched ?? ''], { env: envOf(place) })
      },
    },
  }
}

/** @type {readonly Row[]} */
export const ROWS = [
  { work: 'gsd --version', budget: 1.2, base: 'bare node', prepare: simply('--version') },
  { work: 'gsd --help', budget: 1.2, base: 'bare node', prepare: simply('--help') },
  { work: 'capability list, no overlays', budget: 1.5, base: 'bare node', prepare: simply('capability', 'list') },
  { work: 'capability list, 100 overlays, again', budget: 1.7, base: 'bare node', prepare: listOf(100) },
  { work: 'capability list, 1,000 overlays, again', budget: 2.6, base: 'bare node', prepare: listOf(1000) },
  { work: 'capability list, 1,000 overlays, first', budget: 5, base: 'bare node', prepare: firstListOf(1000) },
  { work: 'capability list, 10,000 overlays, again', budget: 5.5, runs: 7, base: 'bare node', prepare: listOf(10_000) },
  { work: 'loop render, no overlays', budget: 1.5, base: 'bare node', prepare: simply('loop', 'render', 'plan:pre') },
  { work: 'loop render, 100 overlays, again', budget: 1.7, base: 'bare node', prepare: renderOf(100) },
  { work: 'loop render, 1,000 overlays, again', budget: 2.6, base: 'bare node', prepare: renderOf(1000) },
  { work: 'loop render, 10,000 overlays, again', budget: 5.5, runs: 7, base: 'bare node', prepare: renderOf(10_000) },
  {
    work: 'loadRegistry, 1,000 overlays, cold',
    budget: 4,
    printed: true,
    base: 'reading and JSON.parse',
    prepare: loadOf(1000, 'cold', 'read'),
  },
  {
    work: 'loadRegistry, 1,000, second call',
    budget: 1.2,
    printed: true,
    base: 'lstat of what it read',
    prepare: loadOf(1000, 'again', 'stat'),
  },
  {
    work: 'loadRegistry, 1,000, new process',
    budget: 2.5,
    printed: true,
    base: 'lstat of what it read',
    prepare: loadOf(1000, 'fresh', 'stat'),
  },
  {
    work: 'loadRegistry, 10,000, cold',
    budget: 11,
    printed: true,
    runs: 5,
    base: 'the same of 1,000',
    prepare: tenfold('cold'),
  },
  {
    work: 'loadRegistry, 10,000, second call',
    budget: 10,
    printed: true,
    runs: 5,
    base: 'the same of 1,000',
    prepare: tenfold('again'),
  },
  {
    work: 'consent check of 2,000 files, unchanged',
    budget: 1.5,
    printed: true,
    base: 'walk and lstat of them',
    prepare: (place) => {
      const bundle = join(place.root, 'bundle')
      writeFiles(bundle, hookFiles('bench-project', 2000))
      run(place, 'capability', 'install', bundle, '--scope', 'project', '--yes')
      waitForStableStamps()
      spawnSync(process.execPath, inProcess(place, 'consent').argv.slice(1), { env: envOf(place) })
      return { command: inProcess(place, 'consent'), base: inProcess(place, 'walk') }
    },
  },
  {
    work: 'install of 20 files, hook wired',
    budget: 3,
    base: 'bare node',
    prepare: (place) => {
      const bundle = join(place.root, 'bundle')
      writeFiles(bundle, hookFiles('bench-hook', 20))
      return {
        command: {
          argv: gsd('capability', 'install', bundle, '--runtime', 'claude', '--yes'),
          before: () => wipe(place),
        },
      }
    },
  },
  {
    work: 'remove of 20 files, hook wired',
    budget: 2.2,
    base: 'bare node',
    prepare: (place) => {
      const bundle = join(place.root, 'bundle')
      writeFiles(bundle, hookFiles('bench-hook', 20))
      return {
        command: {
          argv: gsd('capability', 'remove', 'bench-hook'),
          before: () => {
            wipe(place)
            run(place, 'capability', 'install', bundle, '--runtime', 'claude', '--yes')
          },
        },
      }
    },
  },
  {
    work: 'install of a .tgz, 2,000 files, 100 MB',
    budget: 2,
    memory: 120,
    runs: 5,
    base: 'sha512sum + tar + sync',
    prepare: (place) => {
      const archive = join(place.root, 'large.tgz')
      const out = join(place.root, 'out')
      writeFiles(join(place.root, 'large'), largeFiles('bench-large', 2000, 100e6))
      spawnSync('tar', ['czf', archive, '-C', join(place.root, 'large'), '.'])
      const script = `sha512sum "$1" >/dev/null && tar xzf "$1" -C "$2" && sync -f "$2"`
      return {
        command: { argv: gsd('capability', 'install', archive, '--yes'), before: () => wipe(place) },
        base: {
          argv: ['sh', '-c', script, 'sh', archive, out],
          before: () => {
            rmSync(out, { recursive: true, force: true })
            mkdirSync(out)
          },
        },
      }
    },
  },
  {
    work: 'install of 100 bundles in one command',
    budget: 4,
    runs: 7,
    base: 'cp + 100 fsyncs in node',
    prepare: (place) => {
      const bundles = Array.from({ length: 100 }, (_, n) => join(place.root, `many/bench-many-${n}`))
      for (const [n, bundle] of bundles.entries()) writeFiles(bundle, hookFiles(`bench-many-${n}`, 4))
      const out = join(place.root, 'copied')
      const sync =
        "const fs = require('fs'); for (const name of fs.readdirSync(process.argv[1])) { const fd = fs.openSync(process.argv[1] + '/' + name + '/capability.json'); fs.fsyncSync(fd); fs.closeSync(fd) }"
      return {
        command: { argv: gsd('capability', 'install', ...bundles, '--yes'), before: () => wipe(place) },
        base: {
          argv: [
            'sh',
            '-c',
            'cp -r "$1" "$2" && "$3" -e "$4" "$2"',
            'sh',
            join(place.root, 'many'),
            out,
            process.execPath,
            sync,
          ],
          before: () => rmSync(out, { recursive: true, force: true }),
        },
      }
    },
  },
  {
    work: 'install from git, 20 files',
    budget: 2.2,
    base: 'git fetch + archive + sync + node',
    prepare: (place) => installFromGit(place, hookFiles('bench-git', 20)),
  },
  {
    work: 'install from git, 500 files, 5 MB',
    budget: 2.2,
    runs: 7,
    base: 'git fetch + archive + sync + node',
    prepare: (place) => installFromGit(place, largeFiles('bench-git', 500, 5e6)),
  },
  ...SKILLS_ROWS,
]

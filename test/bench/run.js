/**
 * `npm run bench [-- --json] [-- --runs n] [-- --only <text>]`: the budgets, measured here and now. Each number is the
 * median over runs in which the work and what it is compared with take turns.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BARE, envOf, ROWS } from './rows.js'
import { measureQuality, qualityLine } from './search-quality.js'

/** @typedef {import('./rows.js').Row} Row @typedef {import('./rows.js').Place} Place @typedef {import('./rows.js').Command} Command */

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    runs: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
})

/** @returns {Place} */
const makePlace = () => {
  const root = mkdtempSync(join(tmpdir(), 'gsd-bench-'))
  const place = { root, home: join(root, 'home'), project: join(root, 'project') }
  mkdirSync(place.home)
  mkdirSync(join(place.project, '.git'), { recursive: true })
  return place
}

/** Milliseconds of one run. @param {Command} command @param {Place} place @param {{ env?: Record<string, string>, printed?: boolean }} [options] */
const time = (command, place, { env = {}, printed = false } = {}) => {
  command.before?.()
  const [file = '', ...args] = command.argv
  const start = performance.now()
  const run = spawnSync(file, args, {
    cwd: place.project,
    env: { ...envOf(place), ...env },
    encoding: 'utf8',
    ...(command.input === undefined ? {} : { input: command.input }),
  })
  const took = performance.now() - start
  if (run.status !== 0) throw new Error(`${command.argv.join(' ')} ended with ${run.status}:\n${run.stderr}`)
  return printed ? Number(run.stdout) : took
}

/** Peak memory of one run in MiB. @param {Command} command @param {Place} place */
const peakOf = (command, place) => {
  const file = join(place.root, 'peak')
  const [node = '', ...args] = command.argv
  const argv = [node, '--import', join(import.meta.dirname, 'peak-memory.js'), ...args]
  time({ ...command, argv }, place, { env: { GSD_BENCH_PEAK: file } })
  return Number(readFileSync(file, 'utf8')) / 1024
}

/** @param {number[]} numbers */
const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

/** @param {Row} row */
const measure = ({ printed = false, ...row }) => {
  const place = makePlace()
  try {
    const { command, base = BARE } = row.prepare(place)
    const runs = Math.min(Number(values.runs), row.runs ?? Infinity)
    /** @type {number[]} */
    const own = []
    /** @type {number[]} */
    const other = []
    for (let n = 0; n <= runs; n++) {
      const pair = [time(base, place, { printed }), time(command, place, { printed })]
      // The first pair warms the caches of the system up.
      if (n === 0) continue
      other.push(pair[0] ?? NaN)
      own.push(pair[1] ?? NaN)
    }
    const ms = median(own)
    const baseMs = median(other)
    const memory = row.memory === undefined ? null : peakOf(command, place)
    const within = ms / baseMs <= row.budget && (memory === null || memory <= (row.memory ?? Infinity))
    return {
      work: row.work,
      base: row.base,
      ms,
      baseMs,
      ratio: ms / baseMs,
      budget: row.budget,
      memoryMiB: memory,
      memoryBudgetMiB: row.memory ?? null,
      within,
    }
  } finally {
    rmSync(place.root, { recursive: true, force: true })
  }
}

/** @param {readonly string[]} cells */
const line = ([work = '', ms = '', base = '', ratio = '', budget = '', memory = '', within = '']) =>
  `${work.padEnd(40)}${ms.padStart(9)}  ${base.padEnd(32)}${ratio.padStart(6)}${budget.padStart(8)}${memory.padStart(16)}  ${within}`

const results = []
for (const row of ROWS.filter(({ work }) => work.includes(values.only))) {
  if (!values.json && process.stderr.isTTY) process.stderr.write(`… ${row.work}\n`)
  results.push(measure(row))
}

const quality = 'search quality'.includes(values.only) ? await measureQuality() : []

if (values.json) process.stdout.write(`${JSON.stringify({ node: process.version, results, quality }, null, 2)}\n`)
else {
  const table = results.map((r) => [
    r.work,
    `${r.ms.toFixed(1)} ms`,
    `${r.base} ${r.baseMs.toFixed(1)} ms`,
    r.ratio.toFixed(2),
    r.budget.toFixed(2),
    r.memoryMiB === null ? '' : `${r.memoryMiB.toFixed(0)}/${r.memoryBudgetMiB} MiB`,
    r.within ? 'ok' : 'OVER',
  ])
  process.stdout.write(
    `Node ${process.version}\n${[['work', 'time', 'against', 'ratio', 'budget', 'memory', ''], ...table].map((cells) => line(cells).trimEnd()).join('\n')}\n`,
  )
  if (quality.length > 0) process.stdout.write(`\n${quality.map(qualityLine).join('\n')}\n`)
}

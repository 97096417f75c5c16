/**
 * `npm run hosts [id…]`: what real hosts do with what an install writes. Installs the pinned command lines of hosts into a
 * cache folder, gives each a capability, runs a turn against a model on loopback and prints what was declared, loaded, run
 * and removed. No login, and no network but the package registry for the first install. Everything else happens in a
 * scratch folder. Exit 1 if a host does not do what the install said.
 *
 * `GSD_HOSTS_CACHE` names another cache folder; `GSD_HOSTS_OFFLINE=1` leaves out hosts that are not in it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import envPaths from 'env-paths'
import { HOST_CLIS } from './host-clis.js'
import { startModelServer } from './model-server.js'

/** @typedef {{ host: string, part: string, declared: string, loaded: string, ran: string, removed: string }} Row */

const ROOT = join(import.meta.dirname, '..')
const CACHE = process.env['GSD_HOSTS_CACHE'] ?? join(envPaths('gsd-capability', { suffix: '' }).cache, 'hosts')
const TURN_MS = 120_000
const ID = 'hosts-check'
const SKILL_TEXT = 'Zebra crossing of the skill.'
const AGENT_TEXT = 'Zebra crossing of the agent.'

const main = async () => {
  const wanted = process.argv.slice(2)
  const unknown = wanted.filter((id) => !HOST_CLIS.some((cli) => cli.id === id))
  if (unknown.length > 0) {
    process.stderr.write(`no such host: ${unknown.join(', ')}; known: ${HOST_CLIS.map(({ id }) => id).join(', ')}\n`)
    return 2
  }
  /** @type {Row[]} */
  const rows = []
  for (const cli of HOST_CLIS.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
    const program = installCli(cli)
    if (program === null)
      rows.push({ host: cli.id, part: '', declared: 'not cached', loaded: '', ran: '', removed: '' })
    else rows.push(...(await checkHost(cli, program)))
  }
  process.stdout.write(`${tableOf(rows)}\n`)
  return rows.some(isWrong) ? 1 : 0
}

/** @param {import('./host-clis.js').HostCli} cli */
const installCli = ({ id, spec, program }) => {
  const folder = join(CACHE, id, spec.slice(spec.lastIndexOf('@') + 1))
  const file = join(folder, 'node_modules/.bin', program)
  if (existsSync(file)) return file
  if (process.env['GSD_HOSTS_OFFLINE'] === '1') return null
  process.stderr.write(`installing ${spec} …\n`)
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, spec]
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm could not install ${spec}:\n${stderr}`)
  return file
}

/** @param {import('./host-clis.js').HostCli} cli @param {string} program @returns {Promise<Row[]>} */
const checkHost = async ({ id, turn }, program) => {
  process.stderr.write(`running ${id} …\n`)
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-hosts-')))
  const model = await startModelServer({ mcpTool: 'zebra_check' })
  try {
    const marks = join(base, 'marks')
    writeFileSync(marks, '')
    for (const name of ['home', 'project/.git']) mkdirSync(join(base, name), { recursive: true })
    writeBundle(join(base, ID), marks)
    const env = scratchEnv(base)
    const { data } = gsd(env, ['install', join(base, ID), '--runtime', id, '--yes'])
    const [{ wired, notWired }] = data.installed
    const written = wired.map((/** @type {{ file: string }} */ { file }) => readFileSync(file, 'utf8')).join('\n')
    const { args, env: more } = turn(model.url)
    const run = await runTurn(program, args, { cwd: join(base, 'project'), env: { ...env, ...more } })
    const sent = model.requests.join('\n')
    const marked = readFileSync(marks, 'utf8').split('\n')
    gsd(env, ['remove', ID])
    const clean = wired.every((/** @type {{ file: string }} */ { file }) => !existsSync(file) || !mentions(file))
    const removed = clean ? 'clean' : 'LEFT'
    if (run.code !== 0 || model.requests.length === 0)
      process.stderr.write(`${id} ended with ${run.code}:\n${run.output}\n`)
    const reasons = notWired.map((/** @type {{ reason: string }} */ { reason }) => reason)
    for (const reason of reasons) process.stderr.write(`${id}: ${reason}\n`)
    /** @param {string} part @param {string} text @param {boolean} loaded @param {boolean | null} ran @returns {Row} */
    const row = (part, text, loaded, ran) => {
      const declared = written.includes(text)
      const word = (/** @type {boolean | null} */ done) =>
        done === null || (!declared && !done) ? '-' : done ? 'yes' : 'NO'
      return { host: id, part, declared: declared ? 'yes' : 'not wired', loaded: word(loaded), ran: word(ran), removed }
    }
    const hooks = ['SessionStart', 'PreToolUse'].every((event) => marked.includes(event))
    return [
      row('hooks', 'hooks/start.sh', hooks, hooks),
      row('server', 'server.mjs', marked.includes('listed'), marked.includes('called')),
      row('skill', SKILL_TEXT, sent.includes(SKILL_TEXT), null),
      row('agent', AGENT_TEXT, sent.includes(AGENT_TEXT), null),
    ]
  } finally {
    model.close()
    rmSync(base, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** @param {string} file */
const mentions = (file) => readFileSync(file, 'utf8').includes(ID)

/** @param {string} base */
const scratchEnv = (base) => {
  const home = join(base, 'home')
  // A proxy that does not answer: nothing but loopback can be reached.
  const proxy = 'http://127.0.0.1:9'
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(base, 'cache'),
    XDG_DATA_HOME: join(base, 'data'),
    XDG_STATE_HOME: join(base, 'state'),
    TMPDIR: tmpdir(),
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: '127.0.0.1,localhost',
    CI: '1',
  }
}

/** @param {Record<string, string>} env @param {string[]} args */
const gsd = (env, args) => {
  const all = [join(ROOT, 'bin/gsd.js'), 'capability', ...args, '--json']
  const { stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env, cwd: env['HOME'] })
  const answer = JSON.parse(stdout || '{}')
  if (answer.ok !== true) throw new Error(`gsd ${args.join(' ')} failed:\n${stdout}${stderr}`)
  return answer
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string> }} options
 * @returns {Promise<{ code: number | null, output: string }>}
 */
const runTurn = (program, args, options) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => (output = (output + part).slice(-4000)))
    const end = () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL')
      } catch {
        // It has ended.
      }
    }
    const timer = setTimeout(end, TURN_MS)
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
    child.on('exit', end)
  })

/** @param {string} dir @param {string} marks */
const writeBundle = (dir, marks) => {
  const mark = (/** @type {string} */ word) => `#!/bin/sh\ncat >/dev/null\necho ${word} >>'${marks}'\n`
  const manifest = {
    id: ID,
    role: 'feature',
    title: 'Check of hosts',
    description: 'Marks what a host loads and runs.',
    version: '1.0.0',
    tier: 'standard',
    engines: { gsd: '>=1.0.0' },
    runtimeCompat: { supported: ['*'], unsupported: [] },
    requires: [],
    skills: ['zebra-skill'],
    agents: ['zebra-agent'],
    hooks: [
      { event: 'SessionStart', script: 'hooks/start.sh' },
      { event: 'PreToolUse', script: 'hooks/tool.sh', matcher: 'Bash' },
    ],
    config: {},
    steps: [],
    contributions: [],
    gates: [],
    mcpServers: { [ID]: { command: './server.mjs' } },
  }
  /** @type {Record<string, string>} */
  const files = {
    'capability.json': JSON.stringify(manifest, null, 2),
    'hooks/start.sh': mark('SessionStart'),
    'hooks/tool.sh': mark('PreToolUse'),
    'skills/zebra-skill/SKILL.md': `---\nname: zebra-skill\ndescription: ${SKILL_TEXT}\n---\nNothing to do.\n`,
    'agents/zebra-agent.md': `---\nname: zebra-agent\ndescription: ${AGENT_TEXT}\n---\nNothing to do.\n`,
    'server.mjs': serverSource(marks),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
}

/** A server with one tool. @param {string} marks */
const serverSource = (marks) => `import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const mark = (word) => appendFileSync(${JSON.stringify(marks)}, word + '\\n')
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'hosts-check', version: '1.0.0' },
  }),
  'tools/list': () => {
    mark('listed')
    const inputSchema = { type: 'object', properties: {} }
    return { tools: [{ name: 'zebra_check', description: 'Marks a call.', inputSchema }] }
  },
  'tools/call': () => {
    mark('called')
    return { content: [{ type: 'text', text: 'checked' }] }
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = (answers[method] ?? (() => ({})))(params ?? {})
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`

/** @param {Row} row */
const isWrong = (row) => row.loaded === 'NO' || row.ran === 'NO' || row.removed === 'LEFT'

/** @param {Row[]} rows */
const tableOf = (rows) => {
  const head = { host: 'host', part: 'part', declared: 'declared', loaded: 'loaded', ran: 'ran', removed: 'removed' }
  const keys = /** @type {(keyof Row)[]} */ (Object.keys(head))
  const all = [head, ...rows]
  const width = (/** @type {keyof Row} */ key) => Math.max(...all.map((row) => row[key].length))
  return all
    .map((row) =>
      keys
        .map((key) => row[key].padEnd(width(key)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

process.exitCode = await main()

/**
 * Shows the whole job in a few seconds: a capability is installed, listed, its hook is written into an agent's settings
 * and run, and all of it is removed again. Everything happens in a folder of its own under the system's folder for
 * temporary files. Ends with an error when anything is not as it should be.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
// Odd on purpose: indentation and order have to stay as they are.
const SETTINGS = `{
  "model": "opus",
      "permissions": { "allow": [ "Bash(ls:*)" ] }
}
`

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-example-')))
const home = join(scratch, 'home')
const project = join(scratch, 'project')
const settings = join(home, '.claude/settings.json')

/** @type {Record<string, string>} */
const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CACHE_HOME: join(scratch, 'cache') }

const main = () => {
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(join(home, '.claude'), { recursive: true })
  writeFileSync(settings, SETTINGS)
  cpSync(join(ROOT, 'fixtures/bundles/hello-hook'), join(scratch, 'hello-hook'), { recursive: true })

  say('An empty home, a project, and the settings of a coding agent:', `${settings}\n\n${SETTINGS}`)

  gsd(
    'Install a capability, and wire its hook into that agent:',
    'capability install ../hello-hook --runtime claude --yes',
  )
  gsd(
    'It is installed (without --scope global, first-party capabilities are listed too):',
    'capability list --scope global',
  )

  const wired = readFileSync(settings, 'utf8')
  check(
    wired !== SETTINGS && wired.includes('      "permissions": { "allow": [ "Bash(ls:*)" ] }'),
    'the hook was added to the settings, and nothing was lost',
  )
  say('The hook is in the settings, and the rest is unchanged:', wired)

  const command = commandIn(wired)
  const run = spawnSync('sh', ['-c', command], { cwd: tmpdir(), input: '{"tool_name":"Bash"}', encoding: 'utf8' })
  check(run.status === 0 && run.stdout.includes('hello-hook'), `the hook runs: ${run.stderr}`)
  say('The agent would run it before each shell command:', `$ ${command}\n${run.stdout}`)

  gsd('Remove it:', 'capability remove hello-hook')
  check(readFileSync(settings, 'utf8') === SETTINGS, 'the settings file is what it was, byte for byte')
  check(!existsSync(join(home, '.gsd/capabilities/hello-hook')), 'the bundle is gone')
  check(readdirSync(project).join() === '.git', 'nothing was put into the project')
  say('The settings file is what it was, byte for byte, and the bundle is gone.', '')
}

/** @param {string} title @param {string} line */
const gsd = (title, line) => {
  const args = line.split(' ')
  const run = spawnSync(process.execPath, [join(ROOT, 'bin/gsd.js'), ...args], { cwd: project, env, encoding: 'utf8' })
  say(title, `$ gsd ${line}\n${run.stderr}${run.stdout}`)
  check(run.status === 0, `gsd ended with ${run.status ?? run.signal}`)
}

/** The command of the one hook in the settings. @param {string} text */
const commandIn = (text) => {
  const found = /"command"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text)
  check(found !== null, 'there is a command in the settings')
  return String(JSON.parse(found?.[1] ?? '""'))
}

/** @param {string} title @param {string} text */
const say = (title, text) => {
  const lines = text.replaceAll(scratch, '~example').trimEnd().split('\n')
  process.stdout.write(
    `${title}\n\n${text === '' ? '' : `${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n\n`}`,
  )
}

/** @param {boolean} holds @param {string} what */
const check = (holds, what) => {
  if (!holds) throw new Error(`not as it should be: ${what}`)
}

try {
  main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

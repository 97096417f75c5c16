import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes of a sign: see `bin/compiled.js`. */
const SIGN = 32

/**
 * A text with a first line that is another one for each text, so that a compiled form can say which one it is of. Other
 * characters than ASCII are escaped: a single one would double the memory that the text takes.
 */
export const signed = (code: string): string => {
  if (ESCAPED.test(code))
    throw new Error('a character that is escaped already would lose its meaning by another escape')
  if (IMPORT.test(code)) throw new Error('what is compiled by itself cannot import: take process.getBuiltinModule')
  const ascii = code.replace(OTHERS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const hash = createHash('sha256').update(ascii).digest('hex')
  return `//${hash.slice(0, SIGN - 2)}\n${ascii}`
}

/** They stand in texts and regular expressions only, where the escape means the same. */
const ESCAPED = /\\[^\u0000-\u007f]/
const IMPORT = /\bimport\(/
const OTHERS = /[^\u0000-\u007f]/g

/** Command lines after which most of what everyday work runs has been compiled. */
const WALK = [
  'list',
  'validate ./hello-hook',
  'install ./hello-hook --runtime claude --yes',
  'list',
  'verify',
  'update hello-hook --yes',
  'remove hello-hook',
]

/**
 * Lets the program that was just built compile what it needs, and keeps the outcome beside its files. Each run starts
 * from the forms that the one before has left.
 */
export const writeCompiledForms = (root: string): void => {
  const home = mkdtempSync(join(tmpdir(), 'gsd-build-'))
  const project = join(home, 'project')
  const env = { PATH: process.env['PATH'], HOME: home, XDG_CACHE_HOME: join(home, 'cache') }
  try {
    mkdirSync(join(home, '.claude'))
    mkdirSync(join(project, '.git'), { recursive: true })
    cpSync(join(root, 'fixtures/bundles/hello-hook'), join(project, 'hello-hook'), { recursive: true })
    for (const line of WALK) {
      const argv = [join(root, 'scripts/keep-compiled.js'), 'capability', ...line.split(' ')]
      execFileSync(process.execPath, argv, { cwd: project, env, stdio: ['ignore', 'ignore', 'pipe'] })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const OXLINT = join(ROOT, 'node_modules/oxlint/bin/oxlint')

interface Case {
  readonly breaks: string
  readonly file: string
  readonly text: string
  readonly rule: string
}

const BROKEN: readonly Case[] = [
  ...[
    ['src/spec/a.ts', '../store/disk.ts'],
    ['src/manifest/a.ts', '../registry/registry.ts'],
    ['src/registry/a.ts', '../config/places.ts'],
    ['src/store/a.ts', '../bundle/bundle.ts'],
    ['src/config/a.ts', '../overlay/load.ts'],
    ['src/fetch/a.ts', '../operation/install.ts'],
    ['src/bundle/a.ts', '../loop/render.ts'],
    ['src/host/surfaces/a.ts', '../../cli/parse.ts'],
    ['src/overlay/a.ts', '../make-context.ts'],
    ['src/operation/a.ts', '../cli/parse.ts'],
    ['src/operation/plan/a.ts', '../install.ts'],
    ['src/skills/a.ts', '../mcp/serve.ts'],
    ['src/a.ts', './store/disk.ts'],
    ['src/loader.ts', './cli/parse.ts'],
  ].map(([file = '', target = '']) => ({
    breaks: `${file} imports upward from ${target}`,
    file,
    text: `import { x } from '${target}'\nexport const y = x\n`,
    rule: 'eslint(no-restricted-imports)',
  })),
  ...['node:fs', 'fs', 'node:fs/promises', 'node:child_process', 'node:http', 'node:os', 'node:process'].map(
    (module) => ({
      breaks: `a pure room imports ${module}`,
      file: 'src/registry/a.ts',
      text: `import * as x from '${module}'\nexport const y = x\n`,
      rule: 'eslint(no-restricted-imports)',
    }),
  ),
  {
    breaks: 'a pure room draws random bytes',
    file: 'src/spec/a.ts',
    text: `import { randomBytes } from 'node:crypto'\nexport const y = randomBytes(1)\n`,
    rule: 'eslint(no-restricted-imports)',
  },
  ...['src/spec', 'src/manifest', 'src/registry', 'src/host/splice', 'src/trust'].map((folder) => ({
    breaks: `${folder} reads the clock`,
    file: `${folder}/a.ts`,
    text: `export const now = Date.now()\n`,
    rule: 'eslint(no-restricted-globals)',
  })),
  {
    breaks: 'a pure room reads the environment',
    file: 'src/manifest/a.ts',
    text: `export const home = process.env['HOME']\n`,
    rule: 'eslint(no-restricted-globals)',
  },
  {
    breaks: 'a pure room draws a random number',
    file: 'src/manifest/a.ts',
    text: `export const dice = Math.random()\n`,
    rule: 'eslint(no-restricted-properties)',
  },
  {
    breaks: 'a room prints',
    file: 'src/operation/a.ts',
    text: `console.log('hello')\n`,
    rule: 'eslint(no-console)',
  },
  {
    breaks: 'the command line prints by console',
    file: 'src/cli/a.ts',
    text: `console.log('hello')\n`,
    rule: 'eslint(no-console)',
  },
  {
    breaks: 'a room ends the process',
    file: 'src/operation/a.ts',
    text: `process.exit(1)\n`,
    rule: 'unicorn(no-process-exit)',
  },
  {
    breaks: 'a module has a default export',
    file: 'src/spec/a.ts',
    text: `export default 1\n`,
    rule: 'import(no-default-export)',
  },
  {
    breaks: 'a type is any',
    file: 'src/spec/a.ts',
    text: `export const a: any = 1\n`,
    rule: 'typescript(no-explicit-any)',
  },
  {
    breaks: 'an error of the compiler is silenced',
    file: 'src/spec/a.ts',
    text: `// @ts-expect-error it would not compile\nexport const a: string = 1\n`,
    rule: 'typescript(ban-ts-comment)',
  },
  {
    breaks: 'a module has more than 250 lines',
    file: 'src/spec/a.ts',
    text: `export const a = 1${'\n'.repeat(251)}`,
    rule: 'eslint(max-lines)',
  },
  {
    breaks: 'a promise is left alone',
    file: 'src/operation/a.ts',
    text: `const work = async (): Promise<void> => {}\nexport const start = (): void => {\n  work()\n}\n`,
    rule: 'typescript(no-floating-promises)',
  },
  {
    breaks: 'two modules import each other',
    file: 'src/store/a.ts',
    text: `import { b } from './b.ts'\nexport const a = (): unknown => b\n`,
    rule: 'import(no-cycle)',
  },
]

const CLEAN: readonly (readonly [string, string])[] = [
  ['src/store/type-only.ts', `import type { HostEdit } from '../host/host-edit.ts'\nexport type Edit = HostEdit\n`],
  ['src/operation/downward.ts', `import { a } from '../store/c.ts'\nexport const b = a\n`],
  ['src/spec/hashing.ts', `import { createHash } from 'node:crypto'\nexport const h = createHash('sha512')\n`],
  ['src/spec/paths.ts', `import { posix } from 'node:path'\nexport const p = posix.join('a', 'b')\n`],
  ['src/cli/main.ts', `process.exit(0)\n`],
  ['src/store/full.ts', `export const a = 1${'\n'.repeat(250)}`],
]

const OTHERS: readonly (readonly [string, string])[] = [
  ['src/store/b.ts', `import { a } from './a.ts'\nexport const b = (): unknown => a\n`],
  ['src/store/c.ts', 'export const a = 1\n'],
]

let scratch: string
/** Rules that fired, by the file they fired on. */
const fired = new Map<string, string[]>()

/** A project of its own with our configuration, so that the paths of the rules hold in it. */
const project = (name: string, files: readonly (readonly [string, string])[]): void => {
  for (const [file, text] of files) {
    mkdirSync(dirname(join(scratch, name, file)), { recursive: true })
    writeFileSync(join(scratch, name, file), text)
  }
  for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(ROOT, file), join(scratch, name, file))
}

beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'gsd-lint-'))
  symlinkSync(join(ROOT, 'node_modules'), join(scratch, 'node_modules'))
  BROKEN.forEach(({ file, text }, at) => project(`broken-${at}`, [...OTHERS, [file, text]]))
  project('clean', [...OTHERS.slice(1), ...CLEAN])
  const run = spawnSync(
    process.execPath,
    [OXLINT, '--type-aware', '--format=json', ...BROKEN.map((_, at) => `broken-${at}`), 'clean'],
    {
      cwd: scratch,
      encoding: 'utf8',
    },
  )
  const report = JSON.parse(run.stdout) as { diagnostics: readonly { code: string; filename: string }[] }
  for (const { code, filename } of report.diagnostics) fired.set(filename, [...(fired.get(filename) ?? []), code])
})
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe('the lint rules that keep the rooms apart', () => {
  it.each(BROKEN.map((broken, at) => ({ ...broken, at })))('fire when $breaks', ({ file, rule, at }) => {
    expect(fired.get(`broken-${at}/${file}`)).toContain(rule)
  })

  it('let pass what is allowed', () => {
    expect([...fired].filter(([file]) => file.startsWith('clean/'))).toEqual([])
  })
})

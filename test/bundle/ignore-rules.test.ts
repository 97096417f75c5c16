import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseIgnoreRules } from '../../src/bundle/ignore-rules.ts'
import { pack } from '../../src/operation/pack.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch('gsd-ignore-')
const PATHS = [
  'a.md',
  'b.log',
  'build/x.js',
  'docs/build/x.js',
  'docs/a/b/c.txt',
  'docs/c.txt',
  'deep/a/b.log',
  '#x',
  '!y',
  'sp ',
  'a[b]',
  'file1',
  'file2',
  'filez',
  'x/y/z/w',
  'keep/x.log',
  'keep/y.log',
]

/** What git itself ignores. */
const ignoredByGit = (text: string): string[] => {
  const root = scratch.path('repo')
  mkdirSync(root, { recursive: true })
  execFileSync('git', ['init', '-q', root])
  for (const path of PATHS) {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true })
    writeFileSync(`${root}/${path}`, '')
  }
  writeFileSync(`${root}/.gitignore`, text)
  const input = PATHS.join('\0')
  try {
    const out = execFileSync('git', ['check-ignore', '--no-index', '-z', '--stdin'], { cwd: root, input })
    return out.toString().split('\0').filter(Boolean).toSorted()
  } catch {
    return []
  }
}

const ignoredHere = (text: string): string[] => {
  const rules = parseIgnoreRules(text)
  return PATHS.filter((path) => {
    const names = path.split('/')
    return names.some((_, at) => rules(names.slice(0, at + 1).join('/'), at + 1 < names.length))
  }).toSorted()
}

describe('an ignore file leaves out what git leaves out', () => {
  test.each([
    '*.log\n',
    '*.log\n!b.log\n',
    'build/\n',
    '/build\n',
    'docs/**/c.txt\n',
    '**/b.log\n',
    'docs/**\n',
    'x/**/w\n',
    '# no\n\\#x\n\\!y\n',
    'sp\\ \n',
    'sp \n',
    'a\\[b\\]\n',
    'file[0-9]\n',
    'file[!0-9]\n',
    'file?\n',
    'docs/*\n!docs/c.txt\n',
    'keep/*\n!keep/x.log\n',
    '*\n!a.md\n',
    '/*.md\r\n',
    'a/b\n',
  ])('%j', (text) => {
    expect(ignoredHere(text)).toEqual(ignoredByGit(text))
  })

  test('and a pattern of many stars ends at once', () => {
    expect(parseIgnoreRules(`${'*a'.repeat(200)}b\n`)('a'.repeat(2000), false)).toBe(false)
  })
})

describe('a folder', () => {
  const packIn = async (files: Readonly<Record<string, string>>) => {
    const dir = scratch.bundle('notes', { files })
    return pack(scratch.testContext().context, { dir, out: scratch.path('notes.tgz'), writeIntegrity: false })
  }

  test('leaves out what .gsdignore names, installed or packed, and says so', async () => {
    const files = { '.gsdignore': 'drafts/\n', 'drafts/a.md': 'x', 'b.md': 'x', '.npmrc': 'x', 'c.orig': 'x' }
    const { paths, warnings, digest } = await packIn(files)
    expect(paths).toEqual(['b.md', 'capability.json', 'hooks/run.sh'])
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'ARCHIVE_LEFT_OUT', message: expect.stringContaining('"drafts/"') }),
    )
    const { installed } = await scratch.install(scratch.path('bundles/notes'))
    expect(installed).toMatchObject([{ digest }])
  })

  test('uses .gitignore where there is no .gsdignore, and only then', async () => {
    const files = { '.gitignore': 'dist/\n', 'dist/x.js': 'x' }
    expect((await packIn(files)).paths).not.toContain('dist/x.js')
    expect((await packIn({ ...files, '.gsdignore': '' })).paths).toContain('dist/x.js')
  })

  test('with secrets, archives or files of an editor is packed with a warning', async () => {
    const names = ['.env', 'keys/id_rsa', 'old.tgz', '.vscode/settings.json']
    const { warnings } = await packIn(Object.fromEntries(names.map((name) => [name, 'x'])))
    const found = warnings.find(({ code }) => code === 'ARCHIVE_SUSPECT')?.message ?? ''
    for (const name of names) expect(found).toContain(name)
  })
})

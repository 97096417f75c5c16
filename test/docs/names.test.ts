import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { CODES } from '../../src/codes.ts'
import { RULE_CODES } from '../../src/manifest/rules/table.ts'
import { docPages, readPage, ROOT } from '../helpers/doc-page.ts'

/** Texts in backticks outside of blocks. */
const namesIn = (page: string): string[] =>
  [
    ...readPage(page)
      .replaceAll(/^```.*?^```/gms, '')
      .matchAll(/`([^`\n]+)`/g),
  ].map((found) => found[1] ?? '')

const REPOSITORY = /^(?:src|test|scripts|schemas|fixtures|bin|docs|\.ci)\/(?:[^<>*…\s]*(?:\/|\.\w+))?$/
const CODE = /^[A-Z]+(?:_[A-Z]+)+$/

describe.each(docPages())('%s', (page) => {
  const names = namesIn(page)

  it('names files of the repository that exist', () => {
    const missing = names.filter((name) => REPOSITORY.test(name) && !existsSync(join(ROOT, name)))
    expect(missing).toEqual([])
  })

  it('names codes that exist', () => {
    const known = new Set<string>([...Object.keys(CODES), ...RULE_CODES, ...ENVIRONMENT])
    expect(names.filter((name) => CODE.test(name) && !known.has(name) && !isOfHost(name))).toEqual([])
  })
})

const ENVIRONMENT = [
  'GSD_CAP_DIR',
  'GSD_HOME',
  'GSD_RUNTIME',
  'GSD_VERSION',
  'HTTPS_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'NO_COLOR',
  'NO_PROXY',
  'PHASE_DIR',
  'PHASE_NUMBER',
  'PHASE_REQ_IDS',
  'UPDATE_DOCS',
  'XDG_CACHE_HOME',
]

/** Variables by which hosts find their folders. */
const isOfHost = (name: string): boolean => HOSTS.includes(`"${name}"`)
const HOSTS = readdirSync(join(ROOT, 'capabilities'))
  .map((id) => readFileSync(join(ROOT, 'capabilities', id, 'capability.json'), 'utf8'))
  .join('\n')

const HALVES = ['src/resolve/prepare.ts', 'src/operation/install.ts']

describe('the walkthrough of one spec', () => {
  const steps = [
    ...readPage('docs/explanation/walk-of-one-spec.md').matchAll(/^\|[^|]+\| `(\w+)` +\| `([^`]+)` +\|$/gm),
  ].map((found) => ({ name: found[1] ?? '', file: found[2] ?? '' }))

  it('names every step of both halves', () => expect(steps.length).toBeGreaterThan(12))

  it.each(HALVES)('lists them in the order of %s', (file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const body = text.slice(text.indexOf(' = async ('))
    const paths = steps.map(({ name }) => body.search(new RegExp(`\\b${name}\\(`))).filter((at) => at >= 0)
    expect(paths.length).toBeGreaterThan(3)
    expect(paths).toEqual(paths.toSorted((a, b) => a - b))
  })

  it('names the file of each', () => {
    const halves = HALVES.map((file) => ({ folder: posix.dirname(file), text: readFileSync(join(ROOT, file), 'utf8') }))
    for (const { name, file } of steps) {
      expect(
        halves.some(({ text }) => text.includes(`${name}(`)),
        name,
      ).toBe(true)
      const imports = halves.filter(({ folder, text }) => {
        const path = posix.relative(folder, file)
        return text.includes(`'${path.startsWith('.') ? path : `./${path}`}'`)
      })
      expect(imports.length, file).toBeGreaterThan(0)
    }
  })
})

describe('the page on dependencies', () => {
  const rows = [...readPage('docs/explanation/dependencies.md').matchAll(/^\| ((?:`[^`]+`(?:, )?)+)/gm)].flatMap(
    (found) => [...(found[1] ?? '').matchAll(/`([^`]+)`/g)].map((name) => name[1] ?? ''),
  )

  it('lists only dependencies that exist', () => {
    expect(rows.filter((name) => !Object.hasOwn(packageJson.devDependencies, name))).toEqual([])
  })

  it('lists every package that the program contains', () => {
    const notices = readFileSync(join(ROOT, 'dist/third-party-notices.txt'), 'utf8')
    const bundled = Object.keys(packageJson.devDependencies).filter((name) => notices.includes(`\n${name} `))
    expect(bundled.length).toBeGreaterThan(3)
    expect(bundled.filter((name) => !rows.includes(name))).toEqual([])
  })
})

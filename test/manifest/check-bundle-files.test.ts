import { describe, expect, it } from 'vitest'
import { readValid } from '../../scripts/fault-cases.ts'
import { checkBundleFiles } from '../../src/manifest/check-bundle-files.ts'
import { checkManifest } from '../../src/manifest/check-manifest.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'

const load = (name: string) => {
  const text = parseManifest(new TextEncoder().encode(readValid(name)), { file: 'capability.json' })
  const { manifest } = checkManifest(text)
  if (manifest === null) throw new Error(`${name} is not valid`)
  return { text, manifest }
}

const sizes = (...paths: string[]) => new Map(paths.map((path) => [path, { size: 10 }]))
const COMPLETE = [
  'skills/sort/SKILL.md',
  'skills/2nd_sort.md',
  'agents/sorter.md',
  'hooks/check.sh',
  'hooks/start.cjs',
  'fragments/plan.md',
  'commands/sorts.cjs',
  'commands/all.mjs',
  'bin/server.js',
]

describe('a bundle', () => {
  const { manifest, text } = load('feature')

  it('with every declared file is complete, skills in either form', () => {
    expect(checkBundleFiles(manifest, sizes(...COMPLETE))).toEqual([])
  })

  it.each([
    ['skills/sort/SKILL.md', 'MANIFEST_SKILL_FILE', 'warning', '/skills/0'],
    ['skills/2nd_sort.md', 'MANIFEST_SKILL_FILE', 'warning', '/skills/1'],
    ['agents/sorter.md', 'MANIFEST_AGENT_FILE', 'warning', '/agents/0'],
    ['hooks/check.sh', 'MANIFEST_HOOK_FILE', 'error', '/hooks/0/script'],
    ['fragments/plan.md', 'MANIFEST_FRAGMENT_FILE', 'error', '/steps/0/fragment/path'],
    ['commands/all.mjs', 'MANIFEST_COMMAND_FILE', 'error', '/commands/1/module'],
    ['bin/server.js', 'MANIFEST_MCP_FILE', 'error', '/mcpServers/own_one/command'],
  ])('without %s is reported: %s, a %s at %s', (path, code, severity, pointer) => {
    const found = checkBundleFiles(manifest, sizes(...COMPLETE.filter((it) => it !== path)), { text })
    expect(found).toMatchObject([{ code, severity, path: pointer, file: 'capability.json', id: 'all-sorts' }])
    expect(found[0]?.line).toBe(text.locate(pointer, 'value').line)
    expect(found[0]?.message).toContain(path.split('/').at(1)?.split('.')[0])
  })

  it('with a fragment over 256 KiB is refused, and one of exactly that size is accepted', () => {
    const of = (size: number) => new Map([...sizes(...COMPLETE), ['fragments/plan.md', { size }] as const])
    expect(checkBundleFiles(manifest, of(256 * 1024))).toEqual([])
    expect(checkBundleFiles(manifest, of(256 * 1024 + 1))).toMatchObject([
      { code: 'MANIFEST_FRAGMENT_SIZE', path: '/steps/0/fragment/path' },
    ])
  })

  it('of a first-party set may omit skills, agents and command modules, but nothing else', () => {
    const found = checkBundleFiles(manifest, new Map(), { firstParty: true }).map(({ code }) => code)
    expect(found).toEqual(['MANIFEST_HOOK_FILE', 'MANIFEST_HOOK_FILE', 'MANIFEST_FRAGMENT_FILE', 'MANIFEST_MCP_FILE'])
  })

  it('of a runtime must contain its command modules, and of a reviewer nothing', () => {
    expect(checkBundleFiles(load('runtime').manifest, new Map())).toMatchObject([
      { code: 'MANIFEST_COMMAND_FILE', path: '/commands/0/module' },
    ])
    expect(checkBundleFiles(load('reviewer').manifest, new Map())).toEqual([])
  })
})

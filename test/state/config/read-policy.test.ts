import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { PolicyRule } from '../../../src/state/config/policy.ts'
import { readProjectConfig } from '../../../src/state/config/project-config.ts'
import { readPolicy } from '../../../src/state/config/read-policy.ts'
import { asNobody } from '../../helpers/as-nobody.ts'
import { at, folder, scratch, write } from './config-folder.ts'

const read = (): ReturnType<typeof readPolicy> =>
  readPolicy({ projects: [readProjectConfig(at('project')).file], user: at('user.json'), machine: at('machine.json') })

const rules = (): readonly PolicyRule['kind'][] => read().policy.lists.map(({ rule }) => rule.kind)

test('without any file, everything is allowed', () => {
  expect(read()).toEqual({ policy: { lists: [] }, diagnostics: [] })
  write('project/.planning/config.json', { capabilities: { auto_update: true } })
  write('user.json', { schema: 1 })
  write('machine.json', {})
  expect(read()).toEqual({ policy: { lists: [] }, diagnostics: [] })
})

test('every existing list is kept, with its origin and file', () => {
  write('machine.json', { schema: 1, strict_known_registries: [] })
  write('user.json', { schema: 1, strict_known_registries: ['npm'] })
  write('project/.planning/config.json', { capabilities: { strict_known_registries: ['github.com'] } })
  expect(read()).toEqual({
    policy: {
      lists: [
        { origin: 'machine', file: at('machine.json'), rule: { kind: 'only', entries: [] } },
        { origin: 'user', file: at('user.json'), rule: { kind: 'only', entries: [{ kind: 'npm', scope: null }] } },
        {
          origin: 'project',
          file: at('project/.planning/config.json'),
          rule: { kind: 'only', entries: [{ kind: 'host', host: 'github.com' }] },
        },
      ],
    },
    diagnostics: [],
  })
})

test('a project may write the key nested or dotted; both apply when both exist', () => {
  write('project/.planning/config.json', {
    'capabilities.strict_known_registries': ['npm'],
    capabilities: { strict_known_registries: [] },
  })
  expect(rules()).toEqual(['only', 'only'])
})

test('null in place of the list sets nothing', () => {
  write('project/.planning/config.json', { capabilities: null })
  expect(rules()).toEqual([])
})

test('entries are hosts, npm with or without a scope, and catalogs', () => {
  write('user.json', {
    strict_known_registries: ['GitHub.com', 'bücher.example', '10.0.0.1', '[::1]', 'npm', 'npm:@org', 'catalog:team'],
  })
  expect(read()).toMatchObject({
    policy: {
      lists: [
        {
          rule: {
            entries: [
              { kind: 'host', host: 'github.com' },
              { kind: 'host', host: 'xn--bcher-kva.example' },
              { kind: 'host', host: '10.0.0.1' },
              { kind: 'host', host: '[::1]' },
              { kind: 'npm', scope: null },
              { kind: 'npm', scope: '@org' },
              { kind: 'catalog', name: 'team' },
            ],
          },
        },
      ],
    },
    diagnostics: [],
  })
})

test.each([
  'https://github.com',
  'github.com/o',
  'github.com:443',
  'a@b',
  '*.example.org',
  '',
  ' ',
  'npm:cap',
  'npm:@a/b',
  'catalog:',
  'git hub.com',
  '%67ithub.com',
  '.example.org',
])('%j allows nothing, with a warning at its position', (text) => {
  write('user.json', `{\n  "strict_known_registries": [\n    "npm",\n    ${JSON.stringify(text)}\n  ]\n}`)
  const { policy, diagnostics } = read()
  expect(policy.lists).toMatchObject([
    { rule: { kind: 'only', entries: [{ kind: 'npm' }, { kind: 'unknown', text }] } },
  ])
  expect(diagnostics).toMatchObject([{ severity: 'warning', line: 4, column: 5, path: '/strict_known_registries/1' }])
})

test.each([[null], ['npm'], [true], [0], [{}], [{ 0: 'npm' }], [['npm', 1]], [[null]], [[['npm']]]])(
  'a list that is %j refuses everything from outside',
  (value) => {
    write('user.json', { strict_known_registries: value })
    write('project/.planning/config.json', { capabilities: { strict_known_registries: value } })
    const { policy, diagnostics } = read()
    expect(policy.lists.map(({ rule }) => rule.kind)).toEqual(['refuse-all', 'refuse-all'])
    expect(diagnostics.map(({ code }) => code)).toEqual(['POLICY_UNREADABLE', 'POLICY_UNREADABLE'])
    expect(diagnostics[1]).toMatchObject({ line: 1, path: '/capabilities/strict_known_registries' })
  },
)

test.each([['all'], [[]], [true], [1]])(
  'a project whose capabilities are %j refuses everything from outside',
  (value) => {
    write('project/.planning/config.json', { capabilities: value })
    expect(rules()).toEqual(['refuse-all'])
  },
)

test.each([
  ['is empty', ''],
  ['does not parse', '{"strict_known_registries": ["npm",]}'],
  ['holds no object', '["npm"]'],
  ['is not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d])],
  ['is too long', `{"x":"${'x'.repeat(1024 * 1024)}"}`],
  ['has the list twice', '{"strict_known_registries": [], "strict_known_registries": null}'],
  ['is of a newer schema', '{"schema": 2}'],
  ['is of a senseless schema', '{"schema": "one"}'],
])('a policy file that %s refuses everything from outside', (_name, content) => {
  write('machine.json', content)
  const { policy, diagnostics } = read()
  expect(policy.lists).toMatchObject([{ origin: 'machine', rule: { kind: 'refuse-all', because: diagnostics[0] } }])
  expect(diagnostics).toHaveLength(1)
  expect(diagnostics[0]).toMatchObject({ severity: 'warning', file: at('machine.json'), hint: expect.any(String) })
})

test.each([
  ['folder', (file: string): unknown => folder(file)],
  ['pipe', (file: string): unknown => execFileSync('mkfifo', [at(file)])],
  ['device', (file: string): unknown => symlinkSync('/dev/zero', at(file))],
  ['link to nothing', (file: string): unknown => symlinkSync('nowhere', at(file))],
  ['file closed to us', (file: string): unknown => chmodSync(write(file, {}), 0)],
])('a %s in place of a policy file refuses everything from outside, and does not block', (_name, make) => {
  chmodSync(scratch.dir, 0o755)
  make('machine.json')
  expect(asNobody(rules)).toEqual(['refuse-all'])
})

test('a project configuration that cannot be read refuses everything from outside, and is reported once', () => {
  write('project/.planning/config.json', '{')
  const { policy, diagnostics } = read()
  expect(policy.lists).toMatchObject([{ origin: 'project', rule: { kind: 'refuse-all' } }])
  expect(diagnostics).toEqual([])
  expect(readProjectConfig(at('project')).diagnostics).toHaveLength(1)
})

test('a project that repeats the parent member of the list hides no list', () => {
  write('project/.planning/config.json', '{"capabilities": {"strict_known_registries": []}, "capabilities": {}}')
  expect(rules()).toEqual(['refuse-all'])
})

test('a misspelt member of a policy file is reported', () => {
  write('user.json', { strict_known_registry: [] })
  expect(read().diagnostics).toMatchObject([{ severity: 'warning', path: '/strict_known_registry' }])
})

test('members with names of Object.prototype are ordinary', () => {
  write('user.json', '{"__proto__": {"strict_known_registries": ["npm"]}, "constructor": []}')
  expect(rules()).toEqual([])
})

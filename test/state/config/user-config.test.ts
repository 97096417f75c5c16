import { chmodSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readUserConfig, type UserConfig } from '../../../src/state/config/user-config.ts'
import { at, write } from './config-folder.ts'

const read = (content: unknown, mode = 0o600): UserConfig => {
  chmodSync(write('config.json', content), mode)
  return readUserConfig(at('config.json'))
}

test('without a file there is no configuration', () => {
  expect(readUserConfig(at('config.json'))).toEqual({
    file: { state: 'absent', file: at('config.json') },
    catalogs: new Map(),
    auth: new Map(),
    defaults: {},
    diagnostics: [],
  })
})

test('catalogs, auth and defaults are read', () => {
  const config = read({
    schema: 1,
    catalogs: { team: 'https://caps.example.org/index.json', 'my-own': '~/catalog.json' },
    auth: {
      'DL.example.org': { header: 'Authorization: Bearer abc' },
      'caps.example.org': { env: 'CAPS_TOKEN' },
      'caps.example.org:8443': { env: 'OTHER' },
    },
    defaults: { 'workflow.ui_phase': false },
  })
  expect([...config.catalogs]).toEqual([
    ['team', 'https://caps.example.org/index.json'],
    ['my-own', '~/catalog.json'],
  ])
  expect([...config.auth]).toEqual([
    ['dl.example.org', { kind: 'header', header: 'Authorization: Bearer abc' }],
    ['caps.example.org', { kind: 'env', variable: 'CAPS_TOKEN' }],
    ['caps.example.org:8443', { kind: 'env', variable: 'OTHER' }],
  ])
  expect(config.defaults).toEqual({ 'workflow.ui_phase': false })
  expect(config.diagnostics).toEqual([])
})

test.each([
  ['/catalogs', { catalogs: [] }],
  ['/catalogs', { catalogs: 'team' }],
  ['/catalogs/Team', { catalogs: { Team: 'https://x.example' } }],
  ['/catalogs/1.0.0', { catalogs: { '1.0.0': 'https://x.example' } }],
  ['/catalogs/latest', { catalogs: { latest: 'https://x.example' } }],
  ['/catalogs/a~1b', { catalogs: { 'a/b': 'https://x.example' } }],
  ['/catalogs/team', { catalogs: { team: 1 } }],
  ['/catalogs/team', { catalogs: { team: ' ' } }],
  ['/auth', { auth: null }],
  ['/auth/x.example~1y', { auth: { 'x.example/y': { env: 'X' } } }],
  ['/auth/x.example:', { auth: { 'x.example:': { env: 'X' } } }],
  ['/auth/x.example', { auth: { 'x.example': 'token' } }],
  ['/auth/x.example', { auth: { 'x.example': { header: 'no colon' } } }],
  ['/auth/x.example', { auth: { 'x.example': { header: 'A: b\r\nC: d' } } }],
  ['/auth/x.example', { auth: { 'x.example': { env: '$X' } } }],
  ['/auth/x.example', { auth: { 'x.example': { env: 'X', header: 'A: b' } } }],
  ['/defaults', { defaults: [] }],
  ['/catalog', { catalog: {} }],
])('a fault at %s is skipped with a warning there, and the rest stays', (path, content) => {
  const config = read({ defaults: { kept: true }, ...content })
  expect(config.diagnostics).toMatchObject([
    { severity: 'warning', code: 'STATE_CONFIG_INVALID', path, hint: expect.any(String) },
  ])
  expect(config).toMatchObject({ file: { state: 'ok' }, catalogs: new Map(), auth: new Map() })
  expect(config.defaults).toEqual('defaults' in content ? {} : { kept: true })
})

test('no warning repeats a secret', () => {
  const config = read({
    auth: { 'x.example': { header: 's3cr3t\u0007' }, 'y.example': { header: 'A: s3cr3t', env: 's3cr3t' } },
  })
  expect(config.diagnostics).toHaveLength(2)
  expect(JSON.stringify(config.diagnostics)).not.toContain('s3cr3t')
})

test('a member with a name of Object.prototype hides nothing and adds nothing', () => {
  const config = read('{"__proto__": {"catalogs": {"team": "x"}}, "constructor": {"auth": {}}}')
  expect(config).toMatchObject({ catalogs: new Map(), auth: new Map(), defaults: {} })
})

test.each([
  ['does not parse', '{"catalogs": {"team": "x"},}', 'STATE_UNREADABLE'],
  ['holds no object', '[]', 'STATE_UNREADABLE'],
  ['is of a newer schema', '{"schema": 2, "catalogs": {"team": "x"}}', 'STATE_NEWER_SCHEMA'],
])('a file that %s gives nothing and is reported, with its position', (_name, content, code) => {
  const config = read(content)
  expect(config).toMatchObject({ file: { state: 'unreadable' }, catalogs: new Map(), defaults: {} })
  expect(config.diagnostics).toMatchObject([{ code, line: 1, column: expect.any(Number), file: at('config.json') }])
})

test('a header that others can read causes a warning, the name of a variable does not', () => {
  const secret = { auth: { 'x.example': { header: 'Authorization: Bearer abc' } } }
  expect(read(secret, 0o644).diagnostics).toMatchObject([{ hint: `chmod 600 ${at('config.json')}` }])
  expect(read(secret, 0o640).diagnostics).toHaveLength(1)
  expect(read(secret, 0o600).diagnostics).toEqual([])
  expect(read({ auth: { 'x.example': { env: 'X' } } }, 0o644).diagnostics).toEqual([])
})

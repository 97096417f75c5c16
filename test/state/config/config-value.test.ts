import { expect, test } from 'vitest'
import { configValue, valueAt, type DeclaredKey } from '../../../src/state/config/config-value.ts'
import { readProjectConfig } from '../../../src/state/config/project-config.ts'
import { readUserConfig } from '../../../src/state/config/user-config.ts'
import { at, write } from './config-folder.ts'

const KEY = 'workflow.ui_phase'
const declared: DeclaredKey = { type: 'boolean', default: true }

const writeLayers = (project?: unknown, defaults?: unknown): Parameters<typeof configValue>[2] => {
  if (project !== undefined) write('project/.planning/config.json', project)
  if (defaults !== undefined) write('config.json', { defaults })
  return { project: readProjectConfig(at('project')), user: readUserConfig(at('config.json')) }
}

test("the project's value comes first, then the user's, then the declared default", () => {
  expect(configValue(KEY, declared, writeLayers())).toEqual({ value: true, origin: 'default', diagnostics: [] })
  expect(configValue(KEY, declared, writeLayers(undefined, { [KEY]: false }))).toMatchObject({
    value: false,
    origin: 'user',
  })
  expect(configValue(KEY, declared, writeLayers({ workflow: { ui_phase: false } }, { [KEY]: true }))).toMatchObject({
    value: false,
    origin: 'project',
  })
  expect(configValue(KEY, declared, { project: null, user: null })).toMatchObject({ value: true, origin: 'default' })
})

test('an undeclared key has its configured value, or none', () => {
  expect(configValue('x.y', null, writeLayers({ x: { y: [1] } }))).toEqual({
    value: [1],
    origin: 'project',
    diagnostics: [],
  })
  expect(configValue('x.z', null, writeLayers())).toEqual({ value: undefined, origin: 'unset', diagnostics: [] })
})

test('null unsets a key', () => {
  expect(configValue(KEY, declared, writeLayers({ workflow: { ui_phase: null } }, { [KEY]: false }))).toMatchObject({
    value: false,
    origin: 'user',
    diagnostics: [],
  })
})

test('a value of the wrong type is ignored with a warning that names file, key and type', () => {
  const found = configValue(KEY, declared, writeLayers({ workflow: { ui_phase: 'yes' } }, { [KEY]: 0 }))
  expect(found).toMatchObject({ value: true, origin: 'default' })
  expect(found.diagnostics).toMatchObject([
    {
      severity: 'warning',
      file: at('project/.planning/config.json'),
      message: expect.stringMatching(/workflow\.ui_phase.*"yes".*boolean/),
    },
    { severity: 'warning', file: at('config.json') },
  ])
})

test.each([
  ['boolean', [true, false], ['true', 0, null, {}]],
  ['string', ['', 'x'], [1, true, []]],
  ['number', [0, -1.5], ['1', true]],
  ['enum', ['a', 'b'], ['c', 1, '']],
  ['boolean|object', [true, {}], ['x', []]],
  ['string|boolean|null', ['x', false], [1, {}]],
  ['object[]', [[], [{}]], [{}, [1], [null]]],
  ['string[]|null', [[], ['x']], ['x', [1]]],
  ['constructor', [], [true, 'x', {}]],
])('%s accepts values of its type and nothing else', (type, good, bad) => {
  const key: DeclaredKey = { type, default: 'the default', ...(type === 'enum' ? { values: ['a', 'b'] } : {}) }
  for (const value of good)
    expect(configValue('k', key, writeLayers({ k: value })), JSON.stringify(value)).toMatchObject({
      value,
      origin: 'project',
    })
  for (const value of bad)
    expect(configValue('k', key, writeLayers({ k: value })), JSON.stringify(value)).toMatchObject({
      value: 'the default',
    })
})

test('a number that JSON cannot represent is not a number', () => {
  expect(configValue('k', { type: 'number', default: 3 }, writeLayers('{"k": 1e999}'))).toMatchObject({
    value: 3,
    origin: 'default',
  })
})

test('a dotted key is looked up member by member, then as one member', () => {
  expect(valueAt({ a: { b: { c: 1 } } }, 'a.b.c')).toBe(1)
  expect(valueAt({ 'a.b.c': 2 }, 'a.b.c')).toBe(2)
  expect(valueAt({ a: true, 'a.b': 3 }, 'a.b')).toBe(3)
  expect(valueAt({ a: { b: 1 }, 'a.b': 2 }, 'a.b')).toBe(1)
  expect(valueAt({ a: true }, 'a.b')).toBeUndefined()
  expect(valueAt({ a: [1] }, 'a.0')).toBeUndefined()
})

test('a key never reaches a prototype', () => {
  for (const key of ['constructor', '__proto__', 'a.constructor', 'a.__proto__.b', 'constructor.name', 'toString']) {
    expect(valueAt({ a: {} }, key), key).toBeUndefined()
  }
  expect(valueAt(JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>, '__proto__.x')).toBe(1)
  expect(valueAt(JSON.parse('{"__proto__": {"x": 1}}') as Record<string, unknown>, 'x')).toBeUndefined()
})

test('a configuration that cannot be read has no values, and the warning names its position', () => {
  write('project/.planning/config.json', '{\n  "workflow": {"ui_phase": false,}\n}')
  const project = readProjectConfig(at('project'))
  expect(project).toMatchObject({
    values: {},
    diagnostics: [{ code: 'STATE_UNREADABLE', severity: 'warning', line: 2 }],
  })
  expect(configValue(KEY, declared, { project, user: null })).toMatchObject({ value: true, origin: 'default' })
})

test('a byte order mark is accepted', () => {
  expect(configValue(KEY, declared, writeLayers('\uFEFF{"workflow":{"ui_phase":false}}'))).toMatchObject({
    value: false,
  })
})

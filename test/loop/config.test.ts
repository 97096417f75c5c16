import { describe, expect, it } from 'vitest'
import { resolveConfig } from '../../src/loop.ts'
import { flag, feature } from '../registry/manifests.ts'
import { useLoop } from './loop-fixture.ts'

const loop = useLoop()

const KEYS = {
  'my.enabled': flag(true),
  'my.count': { type: 'number' as const, default: 3, description: 'A number.' },
  'my.level': { type: 'enum' as const, default: 'low', values: ['low', 'high'], description: 'A level.' },
  'my.name': { type: 'string' as const, default: '', description: 'A name.' },
}

const one = async (key: string, set?: Readonly<Record<string, unknown>>) => {
  loop.global(feature('my', { config: KEYS }))
  const registry = await loop.load()
  const { keys, warnings } = resolveConfig(registry, { ...loop.options, keys: [key], ...(set ? { set } : {}) })
  return { ...keys[0], warnings }
}

describe('a configuration key', () => {
  it('has its declared default where nobody sets it', async () => {
    expect(await one('my.count')).toMatchObject({ value: 3, origin: 'default', owner: 'my', file: null, warnings: [] })
  })

  it('takes the call before the project, the project before the user, and the user before the default', async () => {
    loop.defaults({ my: { count: 5 } })
    expect(await one('my.count')).toMatchObject({ value: 5, origin: 'user' })
    const file = loop.config({ 'my.count': 7 })
    expect(await one('my.count')).toMatchObject({ value: 7, origin: 'project', file, line: 2 })
    expect(await one('my.count', { 'my.count': 9 })).toMatchObject({ value: 9, origin: 'call', file: null })
  })

  it('counts as absent where its value is of a wrong type, with file, line and the type that is due', async () => {
    loop.defaults({ my: { count: 5 } })
    const file = loop.config({ mode: 'yolo', my: { count: 'many', level: 'high' } })
    const { value, origin, warnings } = await one('my.count')
    expect({ value, origin }).toEqual({ value: 5, origin: 'user' })
    expect(warnings).toEqual([expect.objectContaining({ code: 'STATE_CONFIG_INVALID', file, line: 4 })])
    expect(warnings[0]?.message).toContain('number')
    expect(await one('my.level')).toMatchObject({ value: 'high', warnings: [] })
  })

  it('takes the text "false" for a boolean, with a warning', async () => {
    loop.config({ my: { enabled: 'false' } })
    expect(await one('my.enabled')).toMatchObject({ value: false, warnings: [{ code: 'STATE_CONFIG_TEXT', line: 3 }] })
  })

  it('counts member by member where it is also written with dots, with a warning', async () => {
    loop.config({ 'my.count': 1, my: { count: 2 } })
    expect(await one('my.count')).toMatchObject({ value: 2, warnings: [{ code: 'STATE_CONFIG_TWICE', line: 2 }] })
  })

  it('is unset by null', async () => {
    loop.config({ my: { count: null } })
    expect(await one('my.count')).toMatchObject({ value: 3, origin: 'default', warnings: [] })
  })

  it('that nobody declares is refused with the nearest one', async () => {
    await expect(one('my.cuont')).rejects.toMatchObject({ code: 'USAGE_UNKNOWN_KEY', hint: 'did you mean my.count?' })
  })

  it('is not read from a prototype', async () => {
    loop.config('{"__proto__":{"my":{"count":8}},"my":{"__proto__":{"count":8}}}')
    expect(await one('my.count')).toMatchObject({ value: 3, origin: 'default' })
  })
})

describe('a configuration file', () => {
  it.each([
    ['a list', '[1]', /object/],
    ['a text', '"x"', /object/],
    ['half an object', '{"mode":', /./],
    ['nested without end', `{"mode":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /nests deeper/],
    ['not UTF-8', '{"mode":"\udc00"}', null],
  ])('that is %s costs nothing but itself', async (_title, text, reason) => {
    loop.config(text)
    loop.defaults({ mode: 'yolo' })
    const { value, warnings } = await one('mode')
    expect(value).toBe('yolo')
    if (reason !== null) expect(warnings).toMatchObject([{ code: 'STATE_UNREADABLE', message: reason }])
  })

  it('with values of every wrong shape poisons no other key', async () => {
    loop.config({ my: { enabled: {}, count: [], level: 'no', name: 4 }, workflow: 'off', git: null, review: [[]] })
    loop.global(feature('my', { config: KEYS }))
    const { keys, warnings } = resolveConfig(await loop.load(), loop.options)
    for (const key of ['my.enabled', 'my.count', 'my.level', 'my.name', 'workflow.verifier', 'git.create_tag'])
      expect(keys.find((it) => it.key === key)).toMatchObject({ origin: 'default' })
    expect(warnings.filter(({ code }) => code === 'STATE_CONFIG_INVALID')).toHaveLength(4)
  })

  it('may hold comments and trailing commas', async () => {
    loop.config('{\n  // why: "x"\n  "my": { /* { */ "count": 4, },\n}\n')
    expect(await one('my.count')).toMatchObject({ value: 4, line: 3, warnings: [] })
  })

  it('with a million keys is read, and its strangers are named up to a limit', async () => {
    const many = Array.from({ length: 1_000_000 }, (_, at) => `"k${at}":1`).join()
    loop.config(`{${many},"my":{"count":4}}`)
    loop.global(feature('my', { config: KEYS }))
    const { keys, warnings } = resolveConfig(await loop.load(), loop.options)
    expect(keys.find(({ key }) => key === 'my.count')).toMatchObject({ value: 4, origin: 'project' })
    expect(warnings.length).toBeLessThan(50)
  })

  it('names a member that nobody declares, with the key it may mean', async () => {
    loop.config({ workflow: { reserch: false } })
    const { warnings } = resolveConfig(await loop.load(), loop.options)
    expect(warnings).toMatchObject([{ code: 'USAGE_UNKNOWN_KEY', line: 3, path: '/workflow/reserch' }])
  })

  it('lists a key of a central family that it sets', async () => {
    loop.config({ agent_skills: { 'gsd-planner': ['a'] } })
    const { keys } = resolveConfig(await loop.load(), loop.options)
    expect(keys.find(({ key }) => key === 'agent_skills.gsd-planner')).toMatchObject({ value: ['a'], type: 'any' })
  })
})

import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type CrossOptions,
  getDirName,
  loadRegistry,
  validateCapability,
  validateCrossCapability,
} from '../src/index.ts'
import { createMachine, writeBundle, writeFileIn } from './overlay/test-machine.ts'
import { feature } from './registry/manifests.ts'

describe('loadRegistry', () => {
  test('merges installed capabilities, and can omit them', async () => {
    const { home, firstParty } = createMachine()
    writeFileIn(join(firstParty, 'own/capability.json'), JSON.stringify(feature('own')))
    writeBundle(home, feature('a'))
    const ids = async (options: object) => [
      ...(await loadRegistry({ home, firstParty, cache: null, ...options })).registry.capabilities.keys(),
    ]
    expect(await ids({})).toEqual(['own', 'a'])
    expect(await ids({ includeInstalled: false })).toEqual(['own'])
  })

  test('takes another global root', async () => {
    const { home, base, firstParty } = createMachine()
    writeBundle(join(base, 'elsewhere'), feature('a'))
    const { registry } = await loadRegistry({ home, firstParty, gsdHome: join(base, 'elsewhere'), cache: null })
    expect(registry.capabilities.has('a')).toBe(true)
  })

  test('continues without a project that does not exist, and reports it', async () => {
    const { home, base, firstParty } = createMachine()
    writeBundle(home, feature('a'))
    const { registry, warnings } = await loadRegistry({ home, firstParty, project: join(base, 'nowhere'), cache: null })
    expect(registry.capabilities.has('a')).toBe(true)
    expect(warnings).toMatchObject([{ code: 'USAGE_NO_PROJECT', severity: 'warning', file: join(base, 'nowhere') }])
  })

  test('checks engines against the given host version, and refuses an invalid one', async () => {
    const { home, firstParty } = createMachine()
    writeBundle(home, feature('a', { engines: { gsd: '>=2' } }))
    const load = (hostVersion: string) => loadRegistry({ home, firstParty, hostVersion, cache: null })
    expect((await load('2.1.0')).registry.capabilities.has('a')).toBe(true)
    expect((await load('1.0.0')).warnings).toMatchObject([{ code: 'OVERLAY_INCOMPATIBLE' }])
    await expect(load('latest')).rejects.toMatchObject({
      code: 'USAGE_BAD_VALUE',
      message: expect.stringMatching(/^hostVersion "latest"/),
    })
  })

  test('accepts null for an omitted option, and refuses a value that is not a string', async () => {
    const { home, firstParty } = createMachine()
    writeBundle(home, feature('a'))
    const load = (more: object) => loadRegistry({ home, firstParty, cache: null, ...more })
    const { registry } = await load({ gsdHome: null, project: null, hostVersion: null })
    expect([...registry.capabilities.keys()]).toContain('a')
    for (const name of ['home', 'gsdHome', 'project', 'hostVersion', 'cache', 'firstParty'])
      for (const value of [5, {}, ['x'], true, () => 'x'])
        await expect(load({ [name]: value })).rejects.toMatchObject({ code: 'USAGE_BAD_VALUE' })
  })
})

test('the validator of a set accepts lists, manifests and options with throwing getters', () => {
  const throwingProxy = (target: object) =>
    new Proxy(target, {
      get: () => {
        throw new Error('no')
      },
    })
  expect(validateCrossCapability(throwingProxy([]))).toMatchObject([{ code: 'REGISTRY_NOT_A_MANIFEST' }])
  const list = [feature('a'), throwingProxy({}), feature('a')]
  expect(validateCrossCapability(list).map(({ code, index }) => [code, index])).toEqual([
    ['REGISTRY_NOT_A_MANIFEST', 1],
    ['REGISTRY_ID_COLLISION', 2],
  ])
  for (const options of [null, 5, { firstParty: null }, { firstParty: 5, runtimes: 'x' }, throwingProxy({})])
    expect(validateCrossCapability([feature('a')], options as CrossOptions)).toEqual([])
})

test('a host name that is not a string is an unknown one', () => {
  for (const value of [null, undefined, 5, {}, Symbol('x')])
    expect(() => getDirName(value as string)).toThrow(expect.objectContaining({ code: 'HOST_UNKNOWN_RUNTIME' }))
})

test('the validators of the library accept any value', () => {
  expect(validateCapability(feature('a'))).toEqual([])
  expect(validateCapability(null)).not.toEqual([])
  expect(validateCrossCapability([feature('a'), feature('a')])).toMatchObject([
    { code: 'REGISTRY_ID_COLLISION', index: 1 },
  ])
})

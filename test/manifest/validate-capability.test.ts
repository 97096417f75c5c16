import { describe, expect, it } from 'vitest'
import { readValid } from '../../scripts/fault-cases.ts'
import { checkManifest, validateCapability } from '../../src/manifest/check-manifest.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'

const small = (): Record<string, unknown> => JSON.parse(readValid('feature-small')) as Record<string, unknown>
const codes = (value: unknown, options = {}) => validateCapability(value, options).map(({ code }) => code)
const VALID = ['feature', 'feature-small', 'runtime', 'runtime-without-home', 'reviewer', 'reviewer-http']

describe('a valid manifest', () => {
  it.each(VALID)('%s passes without a warning, as text and as a value', (name) => {
    const text = readValid(name)
    const checked = checkManifest(parseManifest(new TextEncoder().encode(text), { file: name }))
    expect(checked.diagnostics).toEqual([])
    expect(checked.manifest).toEqual(JSON.parse(text))
    expect(validateCapability(JSON.parse(text))).toEqual([])
  })

  it('is not changed by validation', () => {
    const value = JSON.parse(readValid('feature')) as unknown
    const before = JSON.stringify(value)
    validateCapability(value)
    expect(JSON.stringify(value)).toBe(before)
  })

  it('may consist of objects without a prototype, from another realm, or frozen', () => {
    expect(validateCapability(Object.assign(Object.create(null), small()))).toEqual([])
    expect(validateCapability(Object.freeze(small()))).toEqual([])
  })

  it('may set optional members to undefined', () => {
    expect(codes({ ...small(), hooks: undefined, license: undefined })).toEqual([])
    expect(codes({ ...small(), title: undefined })).toEqual(['MANIFEST_TITLE'])
  })
})

describe('a value that is not a manifest', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a boolean', true],
    ['a number', -0],
    ['infinity', Infinity],
    ['text', 'feature'],
    ['an array', []],
    ['a bigint', 10n],
    ['a symbol', Symbol('feature')],
    ['a function', () => small()],
    ['a date', new Date(0)],
    ['a map', new Map(Object.entries(small()))],
    ['a promise', Promise.resolve(small())],
    ['an instance of a class', new (class Manifest {})()],
  ])('is refused: %s', (_, value) => {
    const found = codes(value)
    expect(found).toContain('MANIFEST_NOT_AN_OBJECT')
    expect(validateCapability(value).every(({ path }) => path === '')).toBe(true)
  })
})

describe('a hostile value', () => {
  it('that throws when it is read is answered', () => {
    const value = small()
    Object.defineProperty(value, 'title', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    expect(validateCapability(value)).toMatchObject([
      { code: 'MANIFEST_NOT_JSON', path: '/title' },
      { code: 'MANIFEST_TITLE', path: '/title' },
    ])
  })

  it('that answers differently each time is answered', () => {
    let asked = 0
    const value = small()
    Object.defineProperty(value, 'id', { enumerable: true, get: () => (asked++ === 0 ? 'small' : { evil: true }) })
    expect(validateCapability(value)).toEqual([])
  })

  it('that is a proxy whose every trap throws, or a revoked one, is answered', () => {
    const trap = (): never => {
      throw new TypeError('trapped')
    }
    const traps = { get: trap, ownKeys: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap, has: trap }
    expect(codes(new Proxy({}, traps))).toContain('MANIFEST_NOT_JSON')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(codes(proxy)).toContain('MANIFEST_NOT_JSON')
    expect(codes({ ...small(), config: proxy })).toContain('MANIFEST_NOT_JSON')
  })

  it('that contains itself is answered', () => {
    const value = small()
    value['x-me'] = value
    expect(codes(value)).toContain('MANIFEST_TOO_DEEP')
    const list: unknown[] = []
    list.push(list)
    expect(codes({ ...small(), requires: list })).toContain('MANIFEST_TOO_DEEP')
  })

  it('that contains one object too often to walk is answered', () => {
    let shared: unknown = {}
    for (let i = 0; i < 60; i++) shared = [shared, shared]
    expect(codes({ ...small(), 'x-wide': shared })).toContain('MANIFEST_NOT_JSON')
    expect(codes({ ...small(), 'x-long': Array.from({ length: 1 }).concat(new Array(4_000_000_000 >>> 1)) })).toContain(
      'MANIFEST_NOT_JSON',
    )
  })

  it('with a toJSON, a toString or a valueOf that throws is answered', () => {
    const evil = {
      toJSON() {
        throw new Error('no')
      },
      toString() {
        throw new Error('no')
      },
      valueOf() {
        throw new Error('no')
      },
    }
    expect(codes({ ...small(), title: evil })).toContain('MANIFEST_TITLE')
  })

  it('with an object that cannot become text in place of a string is answered', () => {
    const steps: unknown = JSON.parse('[{ "point": { "toString": 1, "valueOf": 1, "toJSON": 1 } }]')
    expect(codes({ ...small(), steps })).toContain('MANIFEST_POINT')
  })

  it.each([
    ['a bigint', 1n],
    ['a symbol', Symbol('x')],
    ['a function', () => 1],
    ['a date', new Date(0)],
  ])('with %s in it is answered, and the fault is named with its position', (_, part) => {
    const found = validateCapability({ ...small(), steps: [{ point: part }] })
    expect(found).toContainEqual(expect.objectContaining({ code: 'MANIFEST_NOT_JSON', path: '/steps/0/point' }))
  })

  it.each(['__proto__', 'constructor', 'prototype'])('with the key %s in any place is answered', (key) => {
    const own = (value: unknown): unknown => Object.defineProperty({}, key, { value, enumerable: true })
    const entry = { type: 'boolean', default: true, description: 'd' }
    const paths: Record<string, unknown> = {
      compatVersions: own('1.0.0'),
      config: own(entry),
      mcpServers: own({ command: 'npx' }),
      runtimeCompat: { supported: ['*'], unsupported: [], notes: own('n') },
      'x-note': { below: own(1) },
    }
    for (const [member, value] of Object.entries(paths)) {
      expect([member, codes({ ...small(), [member]: value })]).toEqual([member, ['MANIFEST_FORBIDDEN_KEY']])
    }
    expect(codes(Object.assign(own(1) as object, small()))).toContain('MANIFEST_FORBIDDEN_KEY')
  })

  it('with names that every object inherits is answered', () => {
    for (const name of ['toString', 'hasOwnProperty', 'valueOf']) {
      expect(codes({ ...small(), [name]: 1 })).toEqual(['MANIFEST_UNKNOWN_KEY'])
      expect(codes({ ...small(), role: name })).toEqual(['MANIFEST_ROLE_UNKNOWN'])
      expect(codes({ ...small(), steps: [{ point: name }] })).toContain('MANIFEST_POINT')
      expect(codes({ ...small(), activationKey: name })).toEqual(['MANIFEST_ACTIVATION_KEY_UNDECLARED'])
    }
  })

  it('with a text of many megabytes in place of a short one is answered in few words', () => {
    const long = 'x'.repeat(5_000_000)
    const found = validateCapability({ ...small(), id: long, [long]: long })
    expect(found.map(({ code }) => code)).toEqual(['MANIFEST_ID', 'MANIFEST_UNKNOWN_KEY'])
    expect(found.every(({ id }) => id === undefined)).toBe(true)
    expect(Math.max(...found.map(({ message }) => message.length))).toBeLessThan(500)
  })
})

describe('an option of the caller', () => {
  it("allows the program's own capabilities to use reserved ids", () => {
    expect(codes({ ...small(), id: 'gsd-small' }, { firstParty: true })).toEqual([])
    expect(codes({ ...small(), id: 'gsd-core-small' })).toEqual(['MANIFEST_ID_RESERVED'])
    expect(codes({ ...small(), id: 'gsdsmall' })).toEqual([])
  })

  it('compares the folder with the id, as a warning', () => {
    expect(codes(small(), { folder: 'small' })).toEqual([])
    expect(codes(small(), { folder: null })).toEqual([])
    expect(validateCapability(small(), { folder: 'large' })).toMatchObject([
      { code: 'MANIFEST_ID_FOLDER', severity: 'warning', path: '/id' },
    ])
  })

  it('keeps a capability whose lane has an unknown handler during loading only', () => {
    const lane = readValid('reviewer').replace('"antigravity"', '"own-code"')
    const text = parseManifest(new TextEncoder().encode(lane), { file: 'r' })
    expect(checkManifest(text).manifest).toBeNull()
    const loading = checkManifest(text, { forLoading: true })
    expect(loading.manifest?.id).toBe('second-look')
    expect(loading.diagnostics).toMatchObject([{ code: 'MANIFEST_LANE_HANDLER_UNKNOWN', severity: 'warning' }])
  })
})

describe('limits', () => {
  const gated = (predicate: unknown) =>
    codes({ ...small(), gates: [{ point: 'ship:pre', check: { predicate }, blocking: true, onError: 'halt' }] })
  const codesFor = (inline: string) =>
    codes({
      ...small(),
      contributions: [{ point: 'plan:pre', into: 'planner', produces: [], consumes: [], fragment: { inline } }],
    })

  it('apply exactly to titles and descriptions, counted in code points', () => {
    expect(codes({ ...small(), title: '😀'.repeat(120), description: 'é'.repeat(2000) })).toEqual([])
    expect(codes({ ...small(), title: '😀'.repeat(121) })).toEqual(['MANIFEST_TITLE'])
    expect(codes({ ...small(), description: 'e'.repeat(2001) })).toEqual(['MANIFEST_DESCRIPTION'])
  })

  it('apply to ids', () => {
    expect(codes({ ...small(), id: 'a'.repeat(64) })).toEqual([])
    expect(codes({ ...small(), id: 'a'.repeat(65) })).toEqual(['MANIFEST_ID'])
  })

  it('apply to the byte to inline fragments', () => {
    expect(codesFor('x'.repeat(256 * 1024))).toEqual([])
    expect(codesFor('x'.repeat(256 * 1024 + 1))).toEqual(['MANIFEST_FRAGMENT_INLINE'])
    expect(codesFor('é'.repeat(128 * 1024))).toEqual([])
    expect(codesFor('é'.repeat(128 * 1024 + 1))).toEqual(['MANIFEST_FRAGMENT_INLINE'])
  })

  it('apply to gate commands', () => {
    expect(gated({ kind: 'command-exit-zero', command: 'x'.repeat(4096), timeout: 600 })).toEqual([])
    expect(gated({ kind: 'command-exit-zero', command: 'x'.repeat(4097) })).toEqual(['MANIFEST_PREDICATE_COMMAND'])
    expect(gated({ kind: 'command-exit-zero', command: 'true', timeout: 0 })).toEqual(['MANIFEST_PREDICATE_TIMEOUT'])
  })

  it('apply to ranges, for any number of different ones', () => {
    for (let i = 0; i < 1100; i++) expect(codes({ ...small(), engines: { gsd: `>=1.${i}.0` } })).toEqual([])
    expect(codes({ ...small(), engines: { gsd: '>=1.x.y' } })).toEqual(['MANIFEST_ENGINES_RANGE'])
  })

  it('apply to versions with huge parts', () => {
    expect(codes({ ...small(), version: '9007199254740991.0.0' })).toEqual([])
    expect(codes({ ...small(), version: '9007199254740992.0.0' })).toEqual(['MANIFEST_VERSION'])
    expect(codes({ ...small(), version: `1.0.0-${'9'.repeat(300)}` })).toEqual(['MANIFEST_VERSION'])
    expect(codes({ ...small(), engines: { gsd: `>=${'9'.repeat(100_000)}` } })).toEqual(['MANIFEST_ENGINES_RANGE'])
  })
})

import { expect, test } from 'vitest'
import { chooseCompatibleVersion, matchEngines, satisfiesEngines } from '../../src/manifest/engines.ts'

test.each([
  ['2.0.0-rc.1', '>=1.6.0 <3.0.0'],
  ['1.14.0', '>=1.14.0'],
  ['1.14.0', '^1.6.0'],
  ['1.14.0', '1.14.0'],
  ['1.14.0', '~1.14'],
  ['1.14.0', '1.6.0 - 1.14.0'],
  ['1.14.0', '>=2 || ^1.10'],
  ['1.14.0', '*'],
  ['1.14.0', ''],
  ['1.14.1-rc.1', '>=1.14.0'],
  ['1.14.1-rc.1', '^1.6.0'],
  ['2.0.0-rc.1', '>=2.0.0-alpha <3.0.0'],
  ['1.14.0+build.5', '>=1.14.0'],
  ['v1.14.0', '>=1.14.0'],
])('%s fits %j', (version, range) => {
  expect(satisfiesEngines(range, version)).toBe(true)
})

test.each([
  ['3.0.0-rc.1', '<3.0.0'],
  ['3.0.0-rc.1', '>=1.6.0 <3.0.0'],
  ['1.14.0-rc.1', '>=1.14.0'],
  ['1.14.0-rc.1', '^1.14.0'],
  ['2.0.0-rc.1', '^1.6.0'],
  ['2.0.0-rc.1', '^2.0.0'],
  ['2.0.0-rc.1', '1.x'],
  ['2.0.0-rc.1', '<=2.0.0-rc.1'],
  ['1.13.9', '>=1.14.0'],
  ['1.14.0', '>=1.14.0 <1.14.0'],
  ['0.0.0', '>=1'],
  ['1.14.0', 'not a range'],
  ['not a version', '*'],
  ['1.14', '*'],
  ['', '*'],
])('%s does not fit %j', (version, range) => {
  expect(satisfiesEngines(range, version)).toBe(false)
})

test('the verdict contains range and version, and there is none without a requirement', () => {
  expect(matchEngines({ gsd: '>=2' }, '1.14.0')).toEqual({ ok: false, range: '>=2', version: '1.14.0' })
  expect(matchEngines({}, '1.14.0')).toBeNull()
  expect(matchEngines(undefined, '1.14.0')).toBeNull()
})

const choice = {
  compatVersions: {
    '1.0.0': '1.6.0',
    '1.2.0': '>=1.10.0 <2.0.0',
    '1.3.0-rc.1': '1.10.0',
    '2.0.0': '2.0.0',
    '2.1.0-rc.1': '1.12.0',
  },
  candidates: ['1.2.0', '2.0.0', '1.0.0', '1.3.0-rc.1', '2.1.0-rc.1', '1.9.0', 'latest'],
  hostVersion: '1.14.0',
  range: null,
}

test('the newest stable version whose entry fits the host is chosen, in any order', () => {
  expect(chooseCompatibleVersion(choice)).toBe('1.2.0')
  expect(chooseCompatibleVersion({ ...choice, candidates: choice.candidates.toReversed() })).toBe('1.2.0')
  expect(chooseCompatibleVersion({ ...choice, hostVersion: '1.6.0' })).toBe('1.0.0')
  expect(chooseCompatibleVersion({ ...choice, hostVersion: '2.0.0' })).toBe('2.0.0')
  expect(
    chooseCompatibleVersion({
      ...choice,
      candidates: ['10.0.0', '9.0.0'],
      compatVersions: { '9.0.0': '1.0.0', '10.0.0': '1.0.0' },
    }),
  ).toBe('10.0.0')
})

test('a version outside the range of the spec is never chosen', () => {
  expect(chooseCompatibleVersion({ ...choice, range: '~1.0.0' })).toBe('1.0.0')
  expect(chooseCompatibleVersion({ ...choice, range: '>=3' })).toBeNull()
})

test('a prerelease is chosen only when nothing stable fits', () => {
  expect(chooseCompatibleVersion({ ...choice, range: '>=1.3.0-0' })).toBe('2.1.0-rc.1')
  expect(chooseCompatibleVersion({ ...choice, range: '>=1.3.0-0 <2.0.0' })).toBe('1.3.0-rc.1')
  expect(chooseCompatibleVersion({ ...choice, range: '<2.1.0', candidates: ['2.1.0-rc.1'] })).toBeNull()
})

test('an entry that is a version is a minimum, and the host is checked as for engines', () => {
  const table = { ...choice, compatVersions: { '1.0.0': '1.14.0' }, candidates: ['1.0.0'] }
  expect(chooseCompatibleVersion({ ...table, hostVersion: '1.15.0' })).toBe('1.0.0')
  expect(chooseCompatibleVersion({ ...table, hostVersion: '1.14.0-rc.1' })).toBeNull()
})

test('nothing is chosen without an own entry of the table, or with one that is invalid', () => {
  expect(chooseCompatibleVersion({ ...choice, compatVersions: {} })).toBeNull()
  expect(chooseCompatibleVersion({ ...choice, candidates: [] })).toBeNull()
  expect(chooseCompatibleVersion({ ...choice, compatVersions: { '1.0.0': 'soon' } })).toBeNull()
  expect(chooseCompatibleVersion({ ...choice, candidates: ['constructor', '__proto__'] })).toBeNull()
})

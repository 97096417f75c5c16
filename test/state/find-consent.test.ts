import { describe, expect, test } from 'vitest'
import { changedSince, findConsent, type ConsentQuery } from '../../src/state/find-consent.ts'
import { consentKey, fileFingerprint, type ConsentRecord } from '../../src/state/grants.ts'
import { isDisabled, type Switches } from '../../src/state/switches.ts'

const A = `sha512-${'A'.repeat(86)}==`
const B = `sha512-${'B'.repeat(86)}==`
const file = (path: string, mark: string, executable = false) => ({ path, sha512: mark.repeat(64), executable })

const record = (changes: Partial<ConsentRecord> = {}): ConsentRecord => ({
  scope: 'project',
  project: '/work/x',
  id: 'demo',
  version: '1.0.0',
  digest: A,
  surfaces: A,
  files: { 'a.md': fileFingerprint(file('a.md', 'aa')), 'run.sh': fileFingerprint(file('run.sh', 'bb', true)) },
  granted: '2030-01-01T00:00:00.000Z',
  ...changes,
})

const consents = (...records: readonly ConsentRecord[]) => ({
  byKey: new Map(records.map((each) => [consentKey(each.scope, each.project, each.id), each] as const)),
})

const query = (changes: Partial<ConsentQuery> = {}): ConsentQuery => ({
  scope: 'project',
  project: '/work/x',
  id: 'demo',
  digest: A,
  surfaces: A,
  ...changes,
})

describe('consent', () => {
  test('exists for exactly the content it was given for', () => {
    expect(findConsent(consents(record()), query())).toEqual({ kind: 'granted', record: record() })
  })

  test.each([{ digest: B }, { surfaces: B }])('is for different content when %j', (change) => {
    expect(findConsent(consents(record()), query(change))).toEqual({ kind: 'changed', record: record() })
  })

  test('of another project is distinguished from none, and from one for different content', () => {
    const elsewhere = { kind: 'elsewhere', records: [record()] }
    expect(findConsent(consents(record()), query({ project: '/work/y' }))).toEqual(elsewhere)
    expect(findConsent(consents(record()), query({ project: '/work/y', digest: B }))).toEqual({ kind: 'never' })
    expect(findConsent(consents(record()), query({ project: '/work/y', id: 'other' }))).toEqual({ kind: 'never' })
    expect(findConsent(consents(), query())).toEqual({ kind: 'never' })
  })

  test('for the global scope does not apply to a project, nor the reverse', () => {
    const global = record({ scope: 'global', project: null })
    expect(findConsent(consents(global), query())).toEqual({ kind: 'never' })
    expect(findConsent(consents(record()), query({ scope: 'global', project: null }))).toEqual({ kind: 'never' })
  })

  test('lists the files that are new, missing, changed or newly executable', () => {
    const now = [file('a.md', 'aa'), file('run.sh', 'bb', true)]
    expect(changedSince(record(), now)).toEqual([])
    expect(changedSince(record(), [file('a.md', 'aa'), file('run.sh', 'bb')])).toEqual(['run.sh'])
    expect(changedSince(record(), [file('a.md', 'cc'), file('new', 'dd')])).toEqual(['a.md', 'new', 'run.sh'])
  })
})

describe('a switch', () => {
  const state = (value: 'enabled' | 'disabled'): Switches => ({ byCapability: new Map([['demo', value]]) })

  test('of a project may disable, and never enable a capability that the user disabled', () => {
    expect(isDisabled('demo', null, state('disabled'))).toBe(true)
    expect(isDisabled('demo', state('disabled'), state('enabled'))).toBe(true)
    expect(isDisabled('demo', state('enabled'), state('disabled'))).toBe(true)
    expect(isDisabled('demo', state('enabled'), null)).toBe(false)
    expect(isDisabled('other', state('disabled'), state('disabled'))).toBe(false)
  })
})

import { describe, expect, it } from 'vitest'
import { diagnostic } from '../../src/diagnostic.ts'
import type { Contact, PolicyList } from '../../src/state/config/policy.ts'
import { parsePolicyEntry } from '../../src/state/config/policy.ts'
import { checkPolicy, createPolicyCheck } from '../../src/trust/check-policy.ts'

const list = (...entries: string[]): PolicyList => ({
  origin: 'user',
  file: '/home/u/.gsd/policy.json',
  rule: { kind: 'only', entries: entries.map(parsePolicyEntry) },
})
const unreadable: PolicyList = {
  origin: 'machine',
  file: '/etc/gsd/policy.json',
  rule: { kind: 'refuse-all', because: diagnostic('warning', 'POLICY_UNREADABLE', 'it is not a list') },
}
const host = (name: string, catalog: string | null = null): Contact => ({ kind: 'host', host: name, catalog })
const npm = (name: string, catalog: string | null = null): Contact => ({ kind: 'npm', name, catalog })
const allows = (contact: Contact, ...lists: PolicyList[]): boolean => checkPolicy({ lists }, contact).allowed

describe('a policy', () => {
  it('allows everything without a list, and nothing with an empty list', () => {
    expect(allows(host('a.example'))).toBe(true)
    expect(allows(host('a.example'), list())).toBe(false)
    expect(allows(npm('x'), list())).toBe(false)
  })

  it.each([
    ['git.example.org', true],
    ['GIT.example.org', true],
    ['git.example.org.', true],
    ['deep.git.example.org', true],
    ['example.org', false],
    ['notgit.example.org', false],
    ['git.example.org.evil.test', false],
  ])('applies a host to itself and its subdomains only: %s → %s', (name, expected) => {
    expect(allows(host(name), list('git.example.org'))).toBe(expected)
  })

  it('applies npm to every package, and npm:@scope to those of one scope', () => {
    expect(allows(npm('left'), list('npm'))).toBe(true)
    expect(allows(npm('@acme/x'), list('npm:@acme'))).toBe(true)
    expect(allows(npm('@acme-evil/x'), list('npm:@acme'))).toBe(false)
    expect(allows(npm('acme'), list('npm:@acme'))).toBe(false)
    expect(allows(host('registry.example'), list('npm'))).toBe(false)
  })

  it('applies a catalog to its own targets, and to nothing else', () => {
    expect(allows(host('a.example', 'team'), list('catalog:team'))).toBe(true)
    expect(allows(npm('x', 'team'), list('catalog:team'))).toBe(true)
    expect(allows(host('a.example', 'other'), list('catalog:team'))).toBe(false)
    expect(allows(host('a.example'), list('catalog:team'))).toBe(false)
  })

  it('requires every list to agree', () => {
    expect(allows(host('a.example'), list('a.example'), list('a.example', 'b.example'))).toBe(true)
    expect(allows(host('a.example'), list('a.example'), list('b.example'))).toBe(false)
  })

  it('refuses everything if a list cannot be read, and names the file and the fix', () => {
    expect(allows(host('a.example'), list('a.example'), unreadable)).toBe(false)
    expect(() => createPolicyCheck({ lists: [unreadable] })(host('a.example'))).toThrowError(
      expect.objectContaining({
        code: 'POLICY_REFUSED',
        message: expect.stringContaining('/etc/gsd/policy.json'),
        hint: expect.stringContaining('administrator'),
      }),
    )
  })
})

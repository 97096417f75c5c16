import { describe, expect, it } from 'vitest'
import { brokenText, readFaultCases } from '../../scripts/fault-cases.ts'
import { samples } from '../../scripts/manifest-reference.ts'
import { checkManifest } from '../../src/manifest/check-manifest.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'
import { RULE_CODES, RULES } from '../../src/manifest/rules/table.ts'

const check = (text: string) =>
  checkManifest(parseManifest(new TextEncoder().encode(text), { file: 'capability.json' }))

describe('each way to break a manifest', () => {
  it.each(readFaultCases().map((fault) => [fault.title, fault] as const))(
    'reports for %s the fault, with pointer, line and column, and nothing else',
    (_, fault) => {
      const { manifest, diagnostics } = check(brokenText(fault))
      expect(diagnostics.map(({ code, path, line, column }) => [code, path, line, column])).toEqual(fault.faults)
      const fatal = diagnostics.some(({ severity }) => severity === 'error')
      expect(manifest === null).toBe(fatal)
    },
  )
})

describe('each rule', () => {
  const found = samples()

  it.each(RULE_CODES)('%s is reported for some manifest, with the severity of its rule and a hint', (code) => {
    const sample = found.get(code)
    expect(sample?.severity).toBe(RULES[code].isWarning ? 'warning' : 'error')
    expect(sample?.message).not.toBe('')
    expect(sample?.hint ?? '').not.toBe('')
    expect(`${sample?.message} ${sample?.hint}`).not.toMatch(/undefined|\[object/)
  })
})

describe('several faults', () => {
  it('are reported all at once, in the order of the text', () => {
    const { diagnostics } = check(`{
  "id": "Bad",
  "version": "1",
  "role": "feature",
  "skills": ["a", "a", 5],
  "titel": "t"
}`)
    const seen = diagnostics.map(({ code, line, column }) => `${line}:${column} ${code}`)
    expect(seen.filter((line) => line.startsWith('1:1'))).toHaveLength(10)
    expect(seen.filter((line) => !line.startsWith('1:1'))).toEqual([
      '2:9 MANIFEST_ID',
      '3:14 MANIFEST_VERSION',
      '5:19 MANIFEST_STEM_DUPLICATE',
      '5:24 MANIFEST_SKILL',
      '6:3 MANIFEST_UNKNOWN_KEY',
    ])
  })

  it('beyond five hundred are counted, and the manifest still fails', () => {
    const text = `{ "role": "feature", ${Array.from({ length: 600 }, (_, i) => `"k${i}": 1`).join(', ')} }`
    const { diagnostics } = check(text)
    expect(diagnostics).toHaveLength(501)
    expect(diagnostics.find(({ code }) => code === 'MANIFEST_MORE_FAULTS')).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/^11\d more faults are not listed$/),
    })
  })
})

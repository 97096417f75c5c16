import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { brokenText, readFaultCases } from '../../scripts/fault-cases.ts'
import { checkManifest } from '../../src/manifest/check-manifest.ts'
import { parseManifest } from '../../src/manifest/parse-manifest.ts'

const CASES = readFaultCases()
const ROOT = join(import.meta.dirname, '../..')
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'))
const accepts = new Ajv({ strict: true, allowUnionTypes: true }).compile(
  readJson('schemas/capability.schema.json') as object,
)

describe('the published schema', () => {
  it.each(readdirSync(join(ROOT, 'fixtures/manifests/valid')))('accepts the valid manifest %s', (name) => {
    accepts(readJson(`fixtures/manifests/valid/${name}`))
    expect(accepts.errors).toBeNull()
  })

  it.each(readdirSync(join(ROOT, 'capabilities')))('accepts the first-party capability %s', (id) => {
    accepts(readJson(`capabilities/${id}/capability.json`))
    expect(accepts.errors).toBeNull()
  })

  const errors = CASES.filter((fault) => {
    const { manifest } = checkManifest(parseManifest(new TextEncoder().encode(brokenText(fault)), { file: 'x' }))
    return manifest === null
  })

  it.each(errors.filter(({ unseen }) => !unseen).map((fault) => [fault.title, fault] as const))(
    'rejects %s',
    (_, fault) => {
      expect(accepts(JSON.parse(brokenText(fault)))).toBe(false)
    },
  )

  it.each(errors.filter(({ unseen }) => unseen).map((fault) => [fault.title, fault] as const))(
    'cannot detect %s, which is why that is on the list',
    (_, fault) => {
      expect(accepts(JSON.parse(brokenText(fault)))).toBe(true)
    },
  )

  it('accepts manifests that only have warnings', () => {
    const warned = CASES.filter((fault) => !errors.includes(fault))
    expect(warned.length).toBeGreaterThan(5)
    for (const fault of warned)
      expect([fault.title, accepts(JSON.parse(brokenText(fault)))]).toEqual([fault.title, true])
  })

  it('describes every member, so that an editor can explain it', () => {
    const bare: string[] = []
    const walk = (part: unknown, at: string): void => {
      if (typeof part !== 'object' || part === null) return
      const { properties } = part as { properties?: Record<string, object | boolean> }
      for (const [name, member] of Object.entries(properties ?? {})) {
        if (typeof member === 'object' && !('description' in member || '$ref' in member || 'const' in member))
          bare.push(`${at}/${name}`)
      }
      for (const [key, value] of Object.entries(part)) if (key !== 'if' && key !== 'not') walk(value, `${at}/${key}`)
    }
    walk(readJson('schemas/capability.schema.json'), '')
    expect(bare.filter((path) => !/\/(?:oneOf|allOf)\/\d+\/(?:then\/)?(?:check|invoke|blocking)?$/.test(path))).toEqual(
      [],
    )
  })
})

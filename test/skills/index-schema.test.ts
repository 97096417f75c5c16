import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import { describe, expect, it } from 'vitest'
import { skillsIndexSchema } from '../../src/skills/index/index-schema.ts'
import { parseIndex } from '../../src/skills/index/parse-index.ts'
import { entry, REAL_INDEX } from './skills-root.ts'

const validate = new Ajv({ strict: false }).compile(skillsIndexSchema() as object)
const reads = (entries: readonly unknown[]): boolean =>
  parseIndex(Buffer.from(JSON.stringify(entries)), { mode: 'compat' }).findings.every(
    ({ severity }) => severity !== 'error',
  )

describe('schemas/skills-index.v1.schema.json', () => {
  it('equals the output of the code (npm run generate rewrites it)', async () => {
    const file = join(import.meta.dirname, '../../schemas/skills-index.v1.schema.json')
    await expect(`${JSON.stringify(skillsIndexSchema(), null, 2)}\n`).toMatchFileSnapshot(file)
  })

  it('takes the real index', () => {
    expect(validate(JSON.parse(readFileSync(REAL_INDEX, 'utf8')))).toBe(true)
  })

  it.each([
    [entry('a')],
    [entry('a', { date_added: null, more: { x: 1 }, plugin: 'x' })],
    [entry('a', { path: 'skills/日本 語/b' })],
    [entry('')],
    [entry('a', { path: '../a' })],
    [entry('a', { path: 'skills/../a' })],
    [entry('a', { path: 'skills/.' })],
    [entry('a', { path: 'skills//a' })],
    [entry('a', { path: 'skills' })],
    [entry('a', { path: 'skills/a/' })],
    [entry('a', { path: 'skills/a\\b' })],
    [entry('a', { path: 'skills/a\0' })],
    [entry('a', { risk: null })],
    [entry('a', { date_added: 7 })],
    [{ id: 'a' }],
    [null],
    ['text'],
  ])('says of %j what compat reading says', (value) => {
    expect(validate([value])).toBe(reads([value]))
  })
})

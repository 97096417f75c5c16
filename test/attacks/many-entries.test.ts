import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { verify } from '../../src/operation/verify.ts'
import { doctorIn, syncIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const context = () => scratch.testContext().context
const COUNT = 3000
const MORE = `and ${(COUNT - 50).toLocaleString('en-US')} more`

/** Far less than one line for each of the entries. */
const expectBounded = (answer: unknown): void => expect(JSON.stringify(answer).length).toBeLessThan(400_000)

const fill = (folder: string, make: (path: string) => void): void => {
  mkdirSync(folder, { recursive: true })
  for (let index = 0; index < COUNT; index += 1) make(join(folder, `cap-${index}`))
}

describe.each(['project', 'global'] as const)('thousands of folders in the %s scope', (scope) => {
  const gsd = (): string => scratch.path(scope === 'project' ? 'project' : 'home', '.gsd')

  test('that are no capabilities get a bounded answer that counts them', async () => {
    fill(join(gsd(), 'capabilities'), (path) => mkdirSync(path))
    const loaded = await scratch.list()
    expectBounded({ rows: loaded.rows.filter((row) => row.scope === scope), warnings: loaded.warnings })
    expect(loaded.warnings.map(({ message }) => message).join()).toContain(MORE)
    const { findings } = await doctorIn(context())
    expectBounded(findings)
    expect(findings.map(({ message }) => message).join()).toContain(MORE)
    const synced = await syncIn(context())
    expectBounded(synced)
    expect(synced).toMatchObject({ moreExtras: COUNT - 50 })
    expect(synced.warnings.map(({ message }) => message).join()).toContain(MORE)
    expectBounded(verify(context(), { ids: [], scope: null }))
  })

  test('among receipts, and of files in a bundle, get one too', async () => {
    await scratch.install(scratch.bundle('guard'), { scope })
    fill(join(gsd(), 'receipts'), (path) => writeFileSync(`${path}.json`, '{}'))
    fill(join(gsd(), 'capabilities/guard/extra'), (path) => writeFileSync(path, ''))
    const answer = verify(context(), { ids: [], scope: null })
    expectBounded(answer)
    expect(answer.capabilities).toMatchObject([{ ok: false, moreFiles: { extra: COUNT - 50 } }])
    const { findings } = await doctorIn(context())
    expectBounded(findings)
    expect(findings.map(({ message }) => message).join()).toContain(MORE)
  })
})

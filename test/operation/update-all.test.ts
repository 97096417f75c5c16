import { appendFileSync, existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { updateIn } from '../helpers/operations.ts'
import { useReleases } from '../helpers/releases.ts'
import { consentPrompt, HOOK, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch('gsd-update-all-')
const publish = useReleases(scratch)

const context = () => scratch.testContext().context
const ledgerOf = (id: string) => JSON.parse(scratch.text('home/.gsd/ledger.json')).capabilities[id]
const bundle = (id: string, version: string, manifest: Record<string, unknown> = {}, files = {}) =>
  scratch.bundle(id, { manifest: { version, ...manifest }, files })

/** `notes` from a folder with a newer version, and another one that will fail. */
const installed = async (other: string): Promise<void> => {
  await scratch.install([bundle('notes', '1.0.0'), other])
  bundle('notes', '1.1.0')
}

describe('an update of everything skips', () => {
  test('a capability whose tag was moved, and updates the rest', async () => {
    const repository = publish.git('tagged', [{ version: '1.0.0' }])
    await installed(`${repository.url}#v1.0.0`)
    repository.commit({ 'README.md': 'other\n' })
    repository.git('tag', '-f', 'v1.0.0')
    const entry = ledgerOf('tagged')
    const { updated, failed, warnings } = await updateIn(context())
    expect(updated).toMatchObject([{ id: 'notes', version: '1.1.0' }])
    expect(failed).toMatchObject([{ id: 'tagged', error: { code: 'FETCH_TAG_MOVED' } }])
    expect(warnings).toContainEqual(
      expect.objectContaining({ severity: 'error', id: 'tagged', hint: expect.stringContaining('--force') }),
    )
    expect(ledgerOf('tagged')).toEqual(entry)
    expect(await scratch.refused(() => updateIn(context(), ['notes', 'tagged']))).toMatchObject({
      code: 'FETCH_TAG_MOVED',
    })
  })

  test('a capability whose files were edited, and updates the rest', async () => {
    await installed(bundle('edited', '1.0.0'))
    bundle('edited', '1.1.0')
    appendFileSync(scratch.path('home/.gsd/capabilities/edited/hooks/run.sh'), '# mine\n')
    const { updated, failed } = await updateIn(context())
    expect(updated).toMatchObject([{ id: 'notes', version: '1.1.0' }])
    expect(failed).toMatchObject([{ id: 'edited', error: { code: 'STATE_DRIFT' } }])
    expect(scratch.text('home/.gsd/capabilities/edited/hooks/run.sh')).toBe(`${HOOK}# mine\n`)
    expect((await updateIn(context(), [], { force: true })).failed).toEqual([])
  })

  test('the only capability there is, so that the answer has one shape', async () => {
    await scratch.install(bundle('edited', '1.0.0'))
    bundle('edited', '1.1.0')
    appendFileSync(scratch.path('home/.gsd/capabilities/edited/hooks/run.sh'), '# mine\n')
    const { updated, failed } = await updateIn(context())
    expect([updated, failed]).toMatchObject([[], [{ id: 'edited', error: { code: 'STATE_DRIFT' } }]])
  })

  test.each<readonly [what: string, manifest: Record<string, unknown>, files: Record<string, string>, code: string]>([
    ['requires what is nowhere', { requires: ['nowhere'] }, {}, 'REGISTRY_REQUIRES_MISSING'],
    ['holds characters that nobody sees', {}, { 'README.md': 'a\u202eb\n' }, 'CONSENT_HIDDEN_TEXT'],
    ['is not valid', { tier: 'gold' }, {}, 'MANIFEST_INVALID'],
  ])('a capability whose new version %s', async (_what, manifest, files, code) => {
    await installed(bundle('other', '1.0.0'))
    bundle('other', '1.1.0', manifest, files)
    const { updated, failed } = await updateIn(context())
    expect(updated).toMatchObject([{ id: 'notes', version: '1.1.0' }])
    expect(failed.map(({ id, error }) => [id, error.code])).toEqual([['other', code]])
  })

  test('a requirement that only a skipped capability needs', async () => {
    publish.catalog({ first: [{ version: '1.0.0' }], second: [{ version: '1.0.0' }] })
    await scratch.install(['first@team', 'second@team'])
    const next = (more: string) => ({ version: '1.1.0', manifest: { requires: [more] } })
    publish.catalog({
      first: [next('mine')],
      second: [next('shared')],
      mine: [{ version: '1.0.0', manifest: { requires: ['nowhere'] } }],
      shared: [{ version: '1.0.0' }],
    })
    const { updated, failed } = await updateIn(context())
    expect(updated.map(({ id }) => id).toSorted()).toEqual(['second', 'shared'])
    expect(failed).toMatchObject([{ id: 'first' }])
    expect(existsSync(scratch.path('home/.gsd/capabilities/mine'))).toBe(false)
  })

  test('nothing when only consent is missing: it is requested for all at once', async () => {
    await installed(bundle('other', '1.0.0'))
    bundle('notes', '1.1.0', {}, { 'hooks/run.sh': `${HOOK}echo more\n` })
    expect(await scratch.refused(() => updateIn(context(), [], { consentPrompt: consentPrompt(false) }))).toMatchObject(
      {
        code: 'CONSENT_REQUIRED',
      },
    )
  })
})

test('an update of everything whose parts fail only together is refused as a whole', async () => {
  const stems = (stem: string | null) => (stem === null ? {} : { skills: [stem] })
  const skill = (stem: string) => ({ [`skills/${stem}/SKILL.md`]: `---\nname: ${stem}\ndescription: a\n---\nDo it.\n` })
  const both = (id: string, version: string, stem: string | null) =>
    bundle(id, version, stems(stem), stem === null ? {} : skill(stem))
  await scratch.install([both('one', '1.0.0', null), both('two', '1.0.0', null)])
  for (const id of ['one', 'two']) both(id, '1.1.0', 'same-stem')
  expect((await scratch.refused(() => updateIn(context()))).code).toMatch(/^(?:REGISTRY|OVERLAY)_/)
})

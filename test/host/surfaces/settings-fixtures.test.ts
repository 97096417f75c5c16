import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { undoHostEdit } from '../../../src/host/edit/apply-edit.ts'
import { SURFACES } from '../../../src/host/surfaces/surfaces.ts'
import { planAndApply, type HostState, type HostEditResult } from '../../helpers/host-edits.ts'
import {
  fixtureEntries,
  fixtureHosts,
  fixtureSurface,
  readFixture,
  SETTINGS_FIXTURES,
} from '../../helpers/settings-fixtures.ts'
import { codeOf } from '../../helpers/thrown.ts'

for (const host of fixtureHosts()) {
  const names = readdirSync(join(SETTINGS_FIXTURES, host))
  const runtime = host.replace(/-mcp$/, '')
  const surface = fixtureSurface(host)

  it(`there are at least eight pairs for ${host}`, () => {
    expect(names.length).toBeGreaterThanOrEqual(8)
  })

  describe.each(names)(`${host} settings: %s`, (name) => {
    const { extension, before, after, edited, left, terms } = readFixture(host, name)
    const hooks = fixtureEntries(host, 'guard', 10, terms)
    const updated = fixtureEntries(host, 'guard', 20, terms)
    const others = fixtureEntries(host, 'other', 10, terms)
    const install = (state: HostState, add = hooks, id = 'guard'): HostEditResult =>
      planAndApply(state, { id, add, surface, runtime })
    const remove = (state: HostState, removed = hooks, id = 'guard'): HostEditResult =>
      planAndApply(state, { id, remove: removed, surface, runtime })
    const start: HostState = { text: before, record: null }

    if (terms.refused !== undefined) {
      it('are refused, and nothing would be written', () => {
        expect(codeOf(() => install(start))).toBe(terms.refused)
        expect(after).toBeNull()
      })
      return
    }

    it('equal the fixture byte for byte after an install', () => {
      expect(install(start).text).toBe(after)
    })

    it('do not change when the same is installed again', () => {
      const again = install(install(start))
      expect(again.text).toBe(after)
      expect(again.edit.patches).toEqual([])
    })

    it('are restored byte for byte after an update and a removal', () => {
      const next = planAndApply(install(start), { id: 'guard', add: updated, remove: hooks, surface, runtime })
      expect(next.record?.entries).toEqual({ guard: updated })
      expect(remove(next, updated).text).toBe(before)
    })

    it('are restored byte for byte after a removal, and the removal can be undone', () => {
      const removed = remove(install(start))
      expect(removed.text).toBe(before)
      expect(removed.record).toBeNull()
      expect(undoHostEdit(removed.text, removed.edit)).toBe(after)
    })

    it('keep another capability installed meanwhile, or refuse it if the file is for one only', () => {
      if (SURFACES[surface].ownFile) {
        expect(codeOf(() => install(install(start), others, 'other'))).toBe('HOST_SETTINGS_FILE')
        return
      }
      const both = install(install(start), others, 'other')
      const one = remove(both)
      expect(one.text).toContain('/other')
      expect(one.text).not.toContain('/guard/')
      expect(remove(one, others, 'other').text).toBe(before)
    })

    it('keep what a user typed meanwhile', () => {
      const comment = extension === 'json' ? '// typed meanwhile' : '# typed meanwhile'
      const typed = `${install(start).text ?? ''}\n${comment}`
      expect(remove({ ...install(start), text: typed }).text).toContain(comment)
    })

    if (edited === null) return

    it("keep the user's edits byte for byte, and report them", () => {
      const installed = { ...install(start), text: edited }
      expect(install(installed).text).toBe(edited)
      const removed = remove(installed)
      expect(removed.text).toBe(left)
      expect(undoHostEdit(edited, install(start).edit)).toBe(left)
    })
  })
}

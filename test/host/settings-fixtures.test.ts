import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HostHook } from '../../src/host/host-edit.ts'
import { hostHooks } from '../../src/host/host-hooks.ts'
import { undoHostEdit } from '../../src/host/plan-edit.ts'
import { runtimeOf } from '../../src/host/runtime-of.ts'
import { SURFACES } from '../../src/host/surfaces/table.ts'
import { capabilityWith } from '../helpers/feature-manifest.ts'
import { turn, type HostState, type Turn } from '../helpers/host-files.ts'
import { codeOf } from '../helpers/thrown.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/settings')

/** What is installed into every fixture, for hosts that can limit a hook to some tools and for those that cannot. */
const hooksIn = (runtime: string, id: string, seconds: number): readonly HostHook[] => {
  const limited = runtimeOf(runtime).matcher === null ? {} : { matcher: 'Bash|Write' }
  const manifest = capabilityWith(id, [
    { event: 'PreToolUse', script: 'hooks/run.sh', ...limited, timeout: seconds },
    ...(runtime === 'cline' ? [] : [{ event: 'Stop', script: 'hooks/run.sh' }]),
  ])
  return hostHooks(manifest, runtimeOf(runtime), `/home/u/.gsd/capabilities/${id}`, [
    { path: 'hooks/run.sh', shebang: true },
  ])
}

const textOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

for (const runtime of readdirSync(FIXTURES)) {
  const { surface } = runtimeOf(runtime)
  const hooks = hooksIn(runtime, 'guard', 10)
  const updated = hooksIn(runtime, 'guard', 20)
  const others = hooksIn(runtime, 'other', 10)
  const install = (state: HostState, add = hooks, id = 'guard'): Turn => turn(state, { id, add, surface, runtime })
  const remove = (state: HostState, gone = hooks, id = 'guard'): Turn =>
    turn(state, { id, remove: gone, surface, runtime })

  describe.each(readdirSync(join(FIXTURES, runtime)))(`${runtime} settings: %s`, (name) => {
    const folder = join(FIXTURES, runtime, name)
    const extension = readdirSync(folder)[0]?.split('.')[1] ?? ''
    const before = textOf(join(folder, `before.${extension}`))
    const after = textOf(join(folder, `after.${extension}`))
    const start: HostState = { text: before, record: null }

    it('come out of an install as the fixture says, to the byte', () => {
      expect(install(start).text).toBe(after)
    })

    it('do not change when the same is installed again', () => {
      const again = install(install(start))
      expect(again.text).toBe(after)
      expect(again.edit.patches).toEqual([])
    })

    it('come back to the byte after an update and a removal', () => {
      const next = turn(install(start), { id: 'guard', add: updated, remove: hooks, surface, runtime })
      expect(next.record?.entries).toEqual({ guard: updated })
      expect(remove(next, updated).text).toBe(before)
    })

    it('come back to the byte after a removal, and the removal can be undone', () => {
      const gone = remove(install(start))
      expect(gone.text).toBe(before)
      expect(gone.record).toBeNull()
      expect(undoHostEdit(gone.text, gone.edit)).toBe(after)
    })

    it('keep another capability that came in between, or refuse it where a file is for one alone', () => {
      if (SURFACES[surface].ownFile) {
        expect(codeOf(() => install(install(start), others, 'other'))).toBe('HOST_SETTINGS_FILE')
        return
      }
      const both = install(install(start), others, 'other')
      const one = remove(both)
      expect(one.text?.split(others[0]?.script ?? '').length).toBe(others.length + 1)
      expect(one.text).not.toContain(hooks[0]?.script)
      expect(remove(one, others, 'other').text).toBe(before)
    })

    it('keep what a user typed meanwhile', () => {
      const comment = extension === 'json' ? '// typed meanwhile' : '# typed meanwhile'
      const typed = `${install(start).text ?? ''}\n${comment}`
      expect(remove({ ...install(start), text: typed }).text).toContain(comment)
    })
  })
}

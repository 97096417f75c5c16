import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HostHook, SurfaceKind } from '../../src/host/host-edit.ts'
import { undoHostEdit } from '../../src/host/plan-edit.ts'
import { parseDocument } from '../../src/host/splice/document.ts'
import { entriesOf } from '../../src/host/splice/entries.ts'
import { runtimeOf } from '../../src/host/runtime-of.ts'
import { hookOf, turn, type HostState, type Turn } from '../helpers/host-files.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/settings')

/** What is installed into every fixture, in the names and units of the host. */
const HOOKS: Readonly<Record<string, readonly HostHook[]>> = {
  claude: [hookOf('guard', 'PreToolUse', { matcher: 'Bash|Write', timeout: 10 }), hookOf('guard', 'Stop')],
}
const OTHERS: readonly HostHook[] = [hookOf('other', 'Stop', { timeout: 3 })]

const textOf = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)

for (const [runtime, hooks] of Object.entries(HOOKS)) {
  const surface: SurfaceKind = runtimeOf(runtime).surface
  const install = (state: HostState, add: readonly HostHook[] = hooks, id = 'guard'): Turn =>
    turn(state, { id, add, surface, runtime })
  const remove = (state: HostState, gone: readonly HostHook[] = hooks, id = 'guard'): Turn =>
    turn(state, { id, remove: gone, surface, runtime })

  describe.each(readdirSync(join(FIXTURES, runtime)))(`${runtime} settings: %s`, (name) => {
    const before = textOf(join(FIXTURES, runtime, name, 'before.json'))
    const after = textOf(join(FIXTURES, runtime, name, 'after.json'))
    const start: HostState = { text: before, record: null }

    it('come out of an install as the fixture says, to the byte', () => {
      expect(install(start).text).toBe(after)
    })

    it('do not change when the same is installed again', () => {
      const there = install(start)
      expect(install(there).text).toBe(after)
      expect(install(there).edit.patches).toEqual([])
    })

    it('come back to the byte after an update and a removal', () => {
      const updated = hooks.map((hook) => ({ ...hook, timeout: 20 }))
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

    it('keep another capability that came in between', () => {
      const both = install(install(start), OTHERS, 'other')
      const one = remove(both)
      const left = entriesOf(parseDocument(one.text ?? '', 'x').root, {
        grouped: true,
        typed: true,
        commandKey: 'command',
        timeoutKey: 'timeout',
        versioned: false,
      })
      expect(left.filter(({ command }) => command === OTHERS[0]?.command)).toHaveLength(1)
      expect(remove(one, OTHERS, 'other').text).toBe(before)
    })

    it('keep what a user typed meanwhile', () => {
      const typed = `${install(start).text ?? ''}\n// typed meanwhile`
      expect(remove({ ...install(start), text: typed }).text).toContain('// typed meanwhile')
    })
  })
}

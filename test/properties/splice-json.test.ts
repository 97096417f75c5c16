import { describe, expect, it } from 'vitest'
import { undoHostEdit, applyHostEdit } from '../../src/host/edit/apply-edit.ts'
import { parseDocument } from '../../src/host/splice/json-document.ts'
import { outline } from '../../src/host/splice/json-draft.ts'
import { tokensBetween } from '../../src/host/splice/json-tokens.ts'
import type { HostHook, SurfaceKind } from '../../src/state/host-edit.ts'
import { hookOf, planAndApply, type HostState } from '../helpers/host-edits.ts'
import { fc } from '../helpers/property.ts'
import { settingsText, tidySettingsText } from '../helpers/settings-text.ts'

const RUNS = { numRuns: 300 }

const EVENTS = ['Stop', 'PreToolUse', 'SessionStart']
const CAPABILITIES = ['a', 'b', 'c']

/** The hooks of each of three capabilities. */
const hookSets: fc.Arbitrary<ReadonlyMap<string, readonly HostHook[]>> = fc
  .tuple(
    ...CAPABILITIES.map((id) =>
      fc.uniqueArray(
        fc
          .tuple(
            fc.constantFrom(...EVENTS),
            fc.constantFrom(undefined, 'Bash', 'é|"\\\\d'),
            fc.constantFrom(undefined, 5, 1.5),
          )
          .map(([event, matcher, timeout]) =>
            hookOf(id, event, {
              ...(matcher === undefined ? {} : { matcher }),
              ...(timeout === undefined ? {} : { timeout }),
            }),
          ),
        { minLength: 1, maxLength: 3, selector: (hook) => JSON.stringify(hook) },
      ),
    ),
  )
  .map((sets) => new Map(CAPABILITIES.map((id, index) => [id, sets[index] ?? []])))

/** Any order of installs and removals of three capabilities, each at most twice, with none left at the end. */
const orders: fc.Arbitrary<readonly string[]> = fc
  .shuffledSubarray([...CAPABILITIES, ...CAPABILITIES, ...CAPABILITIES, ...CAPABILITIES], { minLength: 1 })
  .map((order) => order.concat(CAPABILITIES.filter((id) => order.filter((each) => each === id).length % 2 === 1)))

const hooksOf = (text: string | null): string => {
  const { root } = parseDocument(text ?? '', 'x')
  return root === null ? '' : outline(text ?? '', root)
}

const applyStep = (
  start: HostState,
  order: readonly string[],
  hooks: ReadonlyMap<string, readonly HostHook[]>,
  surface: SurfaceKind,
): void => {
  let state = start
  for (const id of order) {
    const own = hooks.get(id) ?? []
    const installed = state.record !== null && Object.hasOwn(state.record.entries, id)
    const next = planAndApply(state, installed ? { id, surface, remove: own } : { id, surface, add: own })
    expect(undoHostEdit(next.text, next.edit)).toBe(state.text)
    expect(applyHostEdit(next.text, next.edit)).toBe(next.text)
    const again = planAndApply(next, installed ? { id, surface, remove: own } : { id, surface, add: own })
    expect(again.text).toBe(next.text)
    expect(again.record).toEqual(next.record)
    state = next
  }
  expect(state.record).toBeNull()
  expect(state.text).toBe(start.text)
}

describe('splicing JSON settings', () => {
  it('restores the exact bytes of any text, whatever the order in which capabilities are installed and removed', () => {
    fc.assert(
      fc.property(
        fc.oneof(settingsText, tidySettingsText, fc.constantFrom(null, '', '\n', '\uFEFF', '{}')),
        orders,
        hookSets,
        (text, order, hooks) => applyStep({ text, record: null }, order, hooks, 'settings-json'),
      ),
      RUNS,
    )
  })

  it('does the same for hosts with bare handlers', () => {
    fc.assert(
      fc.property(settingsText, orders, hookSets, (text, order, hooks) =>
        applyStep({ text, record: null }, order, hooks, 'windsurf-hooks-json'),
      ),
      { numRuns: 100 },
    )
  })

  it('loses no comment that a user types anywhere while hooks are in the file', () => {
    const typed = fc.array(fc.tuple(fc.nat(), fc.constantFrom('/* mine */', '// mine\n', ' /* mine\n */ ')), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(settingsText, hookSets, typed, (text, hooks, comments) => {
        const own = hooks.get('a') ?? []
        const installed = planAndApply({ text, record: null }, { id: 'a', add: own })
        const edited = typeInto(installed.text ?? '', comments)
        const removed = planAndApply({ ...installed, text: edited }, { id: 'a', remove: own })
        expect(count(removed.text)).toBe(count(edited))
        expect(withoutEmptyContainers(hooksOf(removed.text))).toBe(withoutEmptyContainers(hooksOf(text)))
        expect(undoHostEdit(edited, installed.edit)).toBe(removed.text)
      }),
      RUNS,
    )
  })

  it('keeps what a user adds next to our hooks, in our events and in our groups', () => {
    fc.assert(
      fc.property(settingsText, hookSets, fc.nat(), fc.boolean(), (text, hooks, at, inGroup) => {
        const own = hooks.get('a') ?? []
        const installed = planAndApply({ text, record: null }, { id: 'a', add: own })
        const paths = [
          ...(installed.text ?? '').matchAll(inGroup ? /"hooks": ?\[/g : /"(?:Stop|PreToolUse|SessionStart)": ?\[/g),
        ]
        const position = paths[at % Math.max(paths.length, 1)]
        fc.pre(position !== undefined)
        const end = (position?.index ?? 0) + (position?.[0].length ?? 0)
        const mine = '{"hooks":[{"type":"command","command":"mine"}],"command":"mine"},'
        const edited = (installed.text ?? '').slice(0, end) + mine + (installed.text ?? '').slice(end)
        const removed = planAndApply({ ...installed, text: edited }, { id: 'a', remove: own })
        expect(removed.text).toContain(mine.slice(0, -1))
        expect(removed.text).not.toContain(own[0]?.script)
      }),
      RUNS,
    )
  })

  it('removes an entry that the host has reformatted, with its keys in another order', () => {
    fc.assert(
      fc.property(tidySettingsText, hookSets, fc.constantFrom(0, 2, 4), (text, hooks, indent) => {
        const own = hooks.get('a') ?? []
        const installed = planAndApply({ text, record: null }, { id: 'a', add: own })
        const rewritten = JSON.stringify(reversed(JSON.parse(installed.text ?? '')), null, indent)
        const removed = planAndApply({ ...installed, text: rewritten }, { id: 'a', remove: own })
        const before = JSON.stringify(reversed(JSON.parse(text)))
        expect(hooksOf(removed.text)).toBe(hooksOf(before))
      }),
      { numRuns: 100 },
    )
  })
})

const count = (text: string | null): number => (text ?? '').split('mine').length - 1

/** Types texts between tokens, where white space is allowed. */
const typeInto = (text: string, typed: readonly (readonly [number, string])[]): string => {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const paths = tokensBetween(text, start, text.length).filter(
    (_token, index, all) => all[index - 1]?.kind !== 'line-comment',
  )
  const offsets = typed.map(([at, comment]) => ({ offset: paths[at % paths.length]?.start ?? 0, comment }))
  return offsets
    .toSorted((a, b) => b.offset - a.offset)
    .reduce((now, { offset, comment }) => now.slice(0, offset) + comment + now.slice(offset), text)
}

/** A comment keeps a container of ours that would otherwise be removed. */
const withoutEmptyContainers = (text: string): string => {
  const less = text.replaceAll(/,?"(?:hooks|Stop|PreToolUse|SessionStart)":(?:\{\}|\[\])/g, '').replaceAll('{,', '{')
  return less === text ? text : withoutEmptyContainers(less)
}

/** Object keys in the opposite order, at every level. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

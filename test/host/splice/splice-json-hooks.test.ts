import { describe, expect, it } from 'vitest'
import { applyHostEdit, undoHostEdit } from '../../../src/host/edit/apply-edit.ts'
import { hookOf, planAndApply, type HostState } from '../../helpers/host-edits.ts'
import { codeOf, hintOf, thrownBy } from '../../helpers/thrown.ts'

const STOP = hookOf('guard', 'Stop')
const BASH = hookOf('guard', 'PreToolUse', { matcher: 'Bash', timeout: 10 })
const OTHER = hookOf('other', 'Stop')

const install = (text: string | null): ReturnType<typeof planAndApply> =>
  planAndApply({ text, record: null }, { id: 'guard', add: [STOP] })
const remove = (state: HostState): ReturnType<typeof planAndApply> =>
  planAndApply(state, { id: 'guard', remove: [STOP] })
const edit = (state: HostState, from: string | RegExp, to: string): HostState => {
  const text = (state.text ?? '').replace(from, () => to)
  expect(text).not.toBe(state.text)
  return { ...state, text }
}

const typed = (text: string | null): string => (text ?? '').replace('"a": 1', '"a": 2')

describe('settings that the host does not read', () => {
  it.each([
    ['{"a": 1', 1, 8],
    ['{"a": 1,\n "b" 2}', 2, 6],
    ['{\n  // note\n  a: 1\n}', 3, 3],
    ['{"a": "x\n"}', 1, 7],
    ['{} {}', 1, 4],
    ['{"a": 1,,}', 1, 9],
    ['{"a": /* open', 1, 7],
    ['// only a comment\n', 2, 1],
    ['{"a": tru}', 1, 7],
    ['{"a": "\\x"}', 1, 7],
  ])('are refused with line and column: %j', (text, line, column) => {
    const error = thrownBy(() => install(text))
    expect(error.code).toBe('HOST_SETTINGS_UNPARSABLE')
    expect(error.details).toMatchObject({ line, column })
    expect(error.message).toContain(`:${line}:${column}:`)
  })

  it.each([
    ['// nothing yet\n', 'there are comments but no object', 'add {} to'],
    ['{\u00a0"a": 1}', 'found U+00A0', 'correct line 1'],
    ['{"a": 1,\ufeff "b": 2}', 'found U+FEFF', 'correct line 1'],
    ['{😀: 1}', 'found "😀"', 'correct line 1'],
  ])('are refused with a message that shows the text: %j', (text, words, remedy) => {
    const { message, hint } = thrownBy(() => install(text))
    expect(message).toContain(words)
    expect(hint).toContain(remedy)
  })

  it('are refused when they nest too deep for a parser', () => {
    const error = thrownBy(() => install('{"a":'.repeat(200_000)))
    expect(error.code).toBe('HOST_SETTINGS_UNPARSABLE')
    expect(error.message).toContain('nested deeper than 512 levels')
  })

  it.each([
    ['[]', 1, 1],
    ['\uFEFF"text"', 1, 1],
    ['{"hooks": []}', 1, 11],
    ['{\n  "hooks": null\n}', 2, 12],
    ['{"hooks": {"Stop": {}}}', 1, 20],
    ['{"hooks": {\r\n"Stop": "x"}}', 2, 9],
    ['{"hooks": {}, "a": 1,\n"hooks": {}}', 2, 1],
    ['{"hooks": {"Stop": [], "Stop": []}}', 1, 24],
  ])('are refused when the path to our entry has the wrong type: %j', (text, line, column) => {
    const error = thrownBy(() => install(text))
    expect(error.code).toBe('HOST_SETTINGS_SHAPE')
    expect(error.details).toMatchObject({ line, column })
  })

  it('are not checked outside the path to our entry', () => {
    const text = '{"hooks": {"PreToolUse": 7, "Other": null}, "permissions": [], "env": "x", "env": 2}'
    const installed = install(text)
    expect(remove(installed).text).toBe(text)
  })

  it('can still be cleaned when a repeated key contains our entry', () => {
    const installed = install('{}')
    const repeated = edit(installed, '{', '{"hooks": {},')
    const removed = remove(repeated)
    expect(removed.text).not.toContain(STOP.script)
    expect(removed.text).toContain('"hooks": {},')
  })

  it('cause a warning when the host refuses their syntax, and stay unchanged', () => {
    const installed = planAndApply(
      { text: '\uFEFF{\n  "a": [1,] // note\n}', record: null },
      { id: 'guard', add: [STOP] },
    )
    expect(installed.warnings.map(({ code, line, column }) => [code, line, column])).toEqual([
      ['HOST_SYNTAX_NOT_READ', 2, 14],
      ['HOST_SYNTAX_NOT_READ', 2, 10],
    ])
    const codex = planAndApply(
      { text: '\uFEFF{}', record: null },
      { id: 'guard', add: [STOP], surface: 'codex-hooks-json', runtime: 'codex' },
    )
    expect(codex.warnings.map(({ code, line, column }) => [code, line, column])).toEqual([
      ['HOST_SYNTAX_NOT_READ', 1, 1],
    ])
    const other = planAndApply(
      { text: '{\n  "description": "mine",\n  "mo\\u0064el": 1\n}', record: null },
      { id: 'guard', add: [STOP], surface: 'codex-hooks-json', runtime: 'codex' },
    )
    expect(other.warnings).toMatchObject([
      { code: 'HOST_SYNTAX_NOT_READ', line: 3, column: 3, message: expect.stringContaining('the member "model"') },
    ])
  })
})

describe('an entry of ours', () => {
  it('in an otherwise empty group is removed and reported when the user edited its command', () => {
    const mine = edit(install('{"hooks": {"Stop": [{"hooks": []}]}}'), STOP.command, `FOO=1 ${STOP.command} --quiet`)
    const removed = remove(mine)
    expect(removed.text).toBe('{"hooks": {"Stop": [{"hooks": []}]}}')
    expect(removed.warnings).toMatchObject([{ code: 'HOST_ENTRY_EDITED', severity: 'warning', line: 1 }])
  })

  it('is found in double quotes and without quotes', () => {
    for (const command of [`\\"${STOP.script}\\"`, STOP.script, `node ${STOP.script}`]) {
      const removed = remove(edit(install('{}'), STOP.command, command))
      expect(removed.text).toBe('{}')
    }
  })

  it('is found in another event, in another group and outside a group', () => {
    const bare = `{"type": "command", "command": "${STOP.command}"}`
    const record = install('{}').record
    for (const text of [
      `{"hooks": {"SessionEnd": [{"hooks": [${bare}]}]}}`,
      `{"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "mine"}, ${bare}]}]}}`,
      `{"hooks": {"Stop": [${bare}]}}`,
    ]) {
      const removed = remove({ text, record })
      expect(removed.text).not.toContain(STOP.script)
      expect(removed.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
    }
  })

  it("leaves the user's hook in the same group, and the group", () => {
    const mine = edit(
      install('{}'),
      /"hooks": \[\s*\{(?=\s*"type")/,
      '"hooks": [{"type": "command", "command": "mine"}, {',
    )
    const removed = remove(mine)
    expect(JSON.parse(removed.text ?? '')).toEqual({
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'mine' }] }] },
    })
    expect(removed.warnings).toEqual([])
  })

  it('leaves the group when the user added a member to it', () => {
    const removed = remove(edit(install('{}'), '"Stop": [\n      {', '"Stop": [\n      {"note": "mine",'))
    expect(JSON.parse(removed.text ?? '')).toEqual({ hooks: { Stop: [{ note: 'mine', hooks: [] }] } })
  })

  it('leaves a comment that the user typed into it', () => {
    const removed = remove(edit(install('{"hooks": {"Stop": []}}'), '{"type"', '{/* mine */"type"'))
    expect(removed.text).toBe('{"hooks": {"Stop": [/* mine */]}}')
  })

  it('keeps a container of ours in which the user typed a comment', () => {
    const removed = remove(edit(install('{\n}'), '"Stop": [', '"Stop": [ // mine'))
    expect(removed.text).toBe('{\n  "hooks": {\n    "Stop": [ // mine\n    ]\n  }\n}')
  })

  it('may be missing on removal, and the containers we made are removed all the same', () => {
    const installed = install('{\n  "a": 1\n}\n')
    const without = edit(installed, /"Stop": \[[^]*\]/, '"Stop": []')
    expect(remove(without).text).toBe('{\n  "a": 1\n}\n')
    expect(remove({ ...installed, text: '{"a": 1}' }).text).toBe('{"a": 1}')
    expect(remove({ ...installed, text: null }).text).toBeNull()
  })

  it('is removed in every copy that the user made of it', () => {
    const copied = edit(
      install('{"hooks": {"Stop": []}}'),
      '"Stop": [',
      `"SessionEnd": [{"hooks": [{"command": "${STOP.command}"}]}], "Stop": [`,
    )
    const removed = remove(copied)
    expect(removed.text).toBe('{"hooks": {"SessionEnd": [], "Stop": []}}')
  })

  it('is not added again when it exists but hosts.json does not list it', () => {
    const installed = install('{}')
    const again = install(installed.text)
    expect(again.text).toBe(installed.text)
    expect(again.record?.entries).toEqual({ guard: [STOP] })
  })

  it("keeps the user's edit when the same is installed again", () => {
    const mine = edit(install('{"hooks": {"Stop": []}}'), STOP.command, `nice ${STOP.command}`)
    const again = planAndApply(mine, { id: 'guard', add: [STOP] })
    expect(again.text).toBe(mine.text)
    expect(again.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
  })

  it('is replaced by the new one on an update, edited or not', () => {
    const start = planAndApply({ text: '{"a": 1}', record: null }, { id: 'guard', add: [STOP, BASH] })
    const mine = edit(start, '"timeout": 10', '"timeout": 99')
    const next = planAndApply(mine, { id: 'guard', add: [STOP, { ...BASH, matcher: 'Write' }], remove: [STOP, BASH] })
    expect(next.text).toContain('"matcher": "Write"')
    expect(next.text).not.toContain('99')
    expect(next.text?.split(STOP.script)).toHaveLength(3)
    expect(next.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
  })
})

describe('an entry of the user that names our script', () => {
  const foreign = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "cat ${STOP.command} | log"}]}]}}`

  it('refuses the first wiring with line and hint: our hook would run twice', () => {
    const error = thrownBy(() => install(foreign))
    expect(error.code).toBe('HOST_SETTINGS_SHAPE')
    expect(error.details).toMatchObject({ line: 1, column: 32 })
    expect(hintOf(() => install(foreign))).toContain('remove that hook')
  })

  it('is kept, and reported, when ours is removed', () => {
    const installed = install('{"hooks": {"Stop": []}}')
    const mine = edit(
      installed,
      '"Stop": [',
      `"Stop": [{"hooks": [{"type": "command", "command": "cat ${STOP.command} | log"}]}, `,
    )
    const removed = remove(mine)
    expect(removed.text).toBe(foreign)
    expect(removed.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
  })

  it('is not mistaken for one of another capability whose name begins the same', () => {
    const longer = hookOf('guard-extra', 'Stop')
    const installed = planAndApply({ text: '{}', record: null }, { id: 'guard-extra', add: [longer] })
    const both = planAndApply(installed, { id: 'guard', add: [STOP] })
    expect(planAndApply(both, { id: 'guard', remove: [STOP] }).text).toBe(installed.text)
  })
})

describe('an interrupted edit', () => {
  const start: HostState = { text: '{\n  "a": 1\n}\n', record: null }

  it('is undone and keeps what the user typed meanwhile', () => {
    const installed = planAndApply(start, { id: 'guard', add: [STOP, BASH] })
    expect(undoHostEdit(typed(installed.text), installed.edit)).toBe(typed(start.text))
  })

  it('is finished once and keeps what the user typed meanwhile', () => {
    const installed = planAndApply(start, { id: 'guard', add: [STOP, BASH] })
    const finished = applyHostEdit(typed(start.text), installed.edit)
    expect(finished).toBe(typed(installed.text))
    expect(applyHostEdit(finished, installed.edit)).toBe(finished)
  })

  it('is not undone if it was never applied', () => {
    const installed = planAndApply(start, { id: 'guard', add: [STOP] })
    expect(undoHostEdit(typed(start.text), installed.edit)).toBe(typed(start.text))
  })

  it('restores the entries that a removal or an update removed', () => {
    const installed = planAndApply(start, { id: 'guard', add: [STOP] })
    const removed = planAndApply(installed, { id: 'guard', remove: [STOP] })
    const next = planAndApply(installed, { id: 'guard', add: [{ ...STOP, timeout: 5 }], remove: [STOP] })
    expect(undoHostEdit(typed(removed.text), removed.edit)).toBe(typed(installed.text))
    expect(undoHostEdit(typed(next.text), next.edit)).toBe(typed(installed.text))
  })

  it('deletes a file that it created, unless the user typed into it, and restores one that it deleted', () => {
    const made = planAndApply({ text: null, record: null }, { id: 'guard', add: [STOP] })
    expect(undoHostEdit(made.text, made.edit)).toBeNull()
    expect(undoHostEdit(null, made.edit)).toBeNull()
    expect(JSON.parse(undoHostEdit((made.text ?? '').replace('{', '{"mine": 1,'), made.edit) ?? '')).toEqual({
      mine: 1,
    })
    const deleted = planAndApply(made, { id: 'guard', remove: [STOP] })
    expect(deleted.text).toBeNull()
    expect(undoHostEdit(null, deleted.edit)).toBe(made.text)
  })

  it('does not restore a file that the user deleted', () => {
    const installed = planAndApply(start, { id: 'guard', add: [STOP] })
    const removed = planAndApply(installed, { id: 'guard', remove: [STOP] })
    expect(undoHostEdit(null, removed.edit)).toBeNull()
    expect(applyHostEdit(null, removed.edit)).toBeNull()
  })

  it('is reported when the text no longer parses', () => {
    const installed = planAndApply(start, { id: 'guard', add: [STOP] })
    expect(codeOf(() => undoHostEdit('{ half a', installed.edit))).toBe('HOST_SETTINGS_UNPARSABLE')
  })

  it("keeps only the edited places of the user's text in the journal", () => {
    const secret = '{\n  "hooks": {\n    "Stop": []\n  },\n  "env": { "TOKEN": "hush" },\n  "b": 1\n}\n'
    const installed = planAndApply({ text: secret, record: null }, { id: 'guard', add: [STOP, BASH] })
    const both = planAndApply(installed, { id: 'other', add: [OTHER] })
    const removed = planAndApply(both, { id: 'guard', remove: [STOP, BASH] })
    expect(JSON.stringify([installed.edit, both.edit, removed.edit])).not.toContain('hush')
  })
})

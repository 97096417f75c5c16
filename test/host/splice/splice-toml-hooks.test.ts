import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { applyHostEdit, undoHostEdit } from '../../../src/host/edit/apply-edit.ts'
import { scanToml } from '../../../src/host/splice/toml-scan.ts'
import { hookOf, planAndApply, type HostState, type HostEditResult } from '../../helpers/host-edits.ts'
import { fc } from '../../helpers/property.ts'
import { codeOf, thrownBy } from '../../helpers/thrown.ts'

const STOP = hookOf('guard', 'Stop')
const BASH = hookOf('guard', 'PreToolUse', { matcher: 'Bash|"\\d+', timeout: 10 })
const OTHER = hookOf('other', 'Stop', { timeout: 3 })

const KIMI = { surface: 'kimi-hooks-toml', runtime: 'kimi-code' } as const
const install = (state: HostState, add = [BASH, STOP], id = 'guard'): HostEditResult =>
  planAndApply(state, { id, add, ...KIMI })
const remove = (state: HostState, removed = [BASH, STOP], id = 'guard'): HostEditResult =>
  planAndApply(state, { id, remove: removed, ...KIMI })
const fresh = (text: string | null): HostState => ({ text, record: null })

const TRICKY = `# mine
model = "k" # note
text = """
[[hooks]]
# >>> gsd capability guard >>>
"""
raw = '''a ' [[hooks]] '''
list = [
  [[1, 2]], # ]
  ["#", '"']
]
[[hooks]]
event = "Stop"
command = 'mine'
[hooks.env]
A = "1"
[ui]
date = 1979-05-27T07:32:00Z
big = 9223372036854775807
`

const piece = fc.constantFrom(
  'a = 1\n',
  '# note\n',
  '\n',
  '[t]\nb = "#"\n',
  '[[hooks]]\nevent = "Stop"\ncommand = "mine"\n',
  '[[hooks]] # mine\n  event = "Stop"\n\n  command = "mine" # too\n',
  '[[ "hooks" ]]\nevent = "PreToolUse"\ncommand = """\nmine\n"""\n',
  '[[t.list]]\nc = [\n  1, # one\n]\n',
)
/** Each piece at most once unless it may be repeated, the root key first. */
const tomlText = fc
  .tuple(fc.boolean(), fc.uniqueArray(piece, { maxLength: 6 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([rootKey, pieces, eol, final]) => {
    const body = pieces.filter((each) => each !== 'a = 1\n').join('')
    const text = (rootKey ? 'a = 1\n' : '') + body
    return (final ? text : text.trimEnd()).replaceAll('\n', eol)
  })
  .filter((text) => {
    try {
      parse(text)
      return true
    } catch {
      return false
    }
  })

describe('splicing hooks into TOML', () => {
  it('adds a fenced block that the host reads, at the end', () => {
    const installed = install(fresh('default_model = "k"\n'))
    expect(installed.text).toBe(`default_model = "k"
# >>> gsd capability guard >>>
[[hooks]]
event = "PreToolUse"
command = "'/home/u/.gsd/capabilities/guard/hooks/run.sh'"
matcher = "Bash|\\"\\\\d+"
timeout = 10
[[hooks]]
event = "Stop"
command = "'/home/u/.gsd/capabilities/guard/hooks/run.sh'"
# <<< gsd capability guard <<<
`)
    expect(parse(installed.text ?? '')['hooks']).toEqual([
      { event: 'PreToolUse', command: BASH.command, matcher: 'Bash|"\\d+', timeout: 10 },
      { event: 'Stop', command: STOP.command },
    ])
  })

  it.each([
    null,
    '',
    '\n',
    '\uFEFF',
    '\uFEFFa = 1',
    'a = 1',
    'a = 1\r\n',
    '[t]\nb = 1',
    TRICKY,
    TRICKY.trimEnd(),
    TRICKY.replaceAll('\n', '\r\n'),
  ])('restores the exact bytes, in any order of two capabilities: %j', (text) => {
    const one = install(fresh(text))
    const both = install(one, [OTHER], 'other')
    expect(remove(remove(both), [OTHER], 'other').text).toBe(text)
    expect(remove(remove(both, [OTHER], 'other')).text).toBe(text)
    expect(remove(both, [OTHER], 'other').text).toBe(one.text)
    expect(install(both).text).toBe(both.text)
    expect(undoHostEdit(both.text, both.edit)).toBe(one.text)
    const updated = planAndApply(both, { id: 'guard', add: [{ ...STOP, timeout: 5 }], remove: [BASH, STOP], ...KIMI })
    expect(remove(remove(updated, [{ ...STOP, timeout: 5 }]), [OTHER], 'other').text).toBe(text)
  })

  it('restores the exact bytes of any text', () => {
    fc.assert(
      fc.property(tomlText, fc.boolean(), (text, firstInFirstOut) => {
        const both = install(install(fresh(text)), [OTHER], 'other')
        const back = firstInFirstOut ? remove(remove(both), [OTHER], 'other') : remove(remove(both, [OTHER], 'other'))
        expect(back.text).toBe(text)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['# >>> gsd capability guard >>>\na = 1\n', 1],
    ['a = 1\n# <<< gsd capability guard <<<\n', 2],
    ['# >>> gsd capability a >>>\n# >>> gsd capability b >>>\n# <<< gsd capability b <<<\n', 2],
    ['# >>> gsd capability a >>>\n# <<< gsd capability b <<<\n', 2],
    [
      '# >>> gsd capability a >>>\n# <<< gsd capability a <<<\n# >>> gsd capability a >>>\n# <<< gsd capability a <<<\n',
      3,
    ],
    ['hooks = []\n', 1],
    ['a = 1\n[hooks]\nb = 1\n', 2],
    ['hooks = [{event = "Stop", command = "mine"}]\n', 1],
    ['a = 1\n"ho\\u006fks" = "mine"\n', 2],
    ['[["h ooks"]]\na = 1\n[hooks]\nb = 1\n', 3],
  ])('refuses a broken fence, and hooks in another form, with the line: %j', (text, line) => {
    const error = thrownBy(() => install(fresh(text)))
    expect(error.code).toBe('HOST_SETTINGS_SHAPE')
    expect(error.details).toMatchObject({ line })
  })

  it.each(['[["ho\\u006fks"]]', "[[ 'hooks' ]]", '[["h ooks"]]\na = 1\n[[hooks]]'])(
    'reads the name of a table as the host does: %s',
    (header) => {
      const text = `${header}\nevent = "Stop"\ncommand = "mine"\n`
      expect(remove(install(fresh(text))).text).toBe(text)
    },
  )

  it('refuses invalid TOML with line and column', () => {
    const error = thrownBy(() => install(fresh('a = 1\nb = = 2\n')))
    expect(error.code).toBe('HOST_SETTINGS_UNPARSABLE')
    expect(error.details).toMatchObject({ line: 2, column: 5 })
  })

  it('warns of a BOM that the host refuses, and of no comment', () => {
    expect(install(fresh('# note\na = [1,]\n')).warnings).toEqual([])
    expect(install(fresh('\uFEFFa = 1\n')).warnings.map(({ code }) => code)).toEqual(['HOST_SYNTAX_NOT_READ'])
  })

  it('finds hooks that the host rewrote without comments, and those whose command was edited', () => {
    const installed = install(fresh('a = 1\n'))
    const bare = { ...installed, text: (installed.text ?? '').replaceAll(/# .*\n/g, '') }
    expect(remove(bare).text).toBe('a = 1\n')
    const mine = {
      ...installed,
      text: (installed.text ?? '').replace(`"${STOP.command}"\nmatcher`, `"nice ${STOP.command}"\nmatcher`),
    }
    const removed = remove(mine)
    expect(removed.text).toBe('a = 1\n')
    expect(removed.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
  })

  it('keeps lines that a user typed into the block, and the comments on its lines', () => {
    const installed = install(fresh('a = 1\n'))
    const text = (installed.text ?? '')
      .replace('timeout = 10', 'timeout = 10 # patience')
      .replace('# <<<', '# mine\n[[hooks]]\nevent = "Stop"\ncommand = "mine"\n# <<<')
    const removed = remove({ ...installed, text })
    expect(removed.text).toContain('# patience')
    expect(removed.text).toContain('# mine\n[[hooks]]\nevent = "Stop"\ncommand = "mine"\n')
    expect(parse(removed.text ?? '')).toEqual({ a: 1, hooks: [{ event: 'Stop', command: 'mine' }] })
  })

  it("keeps a comment if it is the user's only addition to the block", () => {
    const installed = install(fresh('a = 1\n'))
    const removed = remove({ ...installed, text: (installed.text ?? '').replace('timeout', '# mine\ntimeout') })
    expect(removed.text).toBe('a = 1\n# mine\n')
  })

  it('leaves an edited hook unchanged when the same is installed again, and a hook of the user next to it', () => {
    const installed = install(fresh('a = 1\n'))
    const text = `${(installed.text ?? '').replace('timeout = 10', 'timeout = 11')}[[hooks]]\nevent = "Stop"\ncommand = "cat ${STOP.script}"\n`
    const again = install({ ...installed, text })
    expect(again.text).toBe(text)
    expect(again.warnings.map(({ message }) => message.split(':')[0])).toEqual([
      'an entry of ours was edited or moved and stays as it is',
      'an entry that is not ours names our script and stays',
    ])
    expect(remove(again).text).toBe(`a = 1\n[[hooks]]\nevent = "Stop"\ncommand = "cat ${STOP.script}"\n`)
  })

  it('ignores hooks in another form on a removal, unless ours is among them', () => {
    const { record } = install(fresh('a = 1\n'))
    expect(remove({ text: 'hooks = []\n', record }).text).toBe('hooks = []\n')
    expect(codeOf(() => remove({ text: `hooks = [{event = "Stop", command = "${STOP.command}"}]\n`, record }))).toBe(
      'HOST_SETTINGS_SHAPE',
    )
  })

  it('refuses to remove a block when TOML counts the following line as part of it', () => {
    const installed = install(fresh('a = 1\n'))
    const error = thrownBy(() => remove({ ...installed, text: `${installed.text}b = 2\n` }))
    expect(error.code).toBe('HOST_SETTINGS_SHAPE')
    expect(error.details).toMatchObject({ line: 12 })
    expect(remove({ ...installed, text: `${installed.text}[t]\nb = 2\n` }).text).toBe('a = 1\n[t]\nb = 2\n')
  })

  it('refuses the first wiring when a hook of the user runs our script', () => {
    expect(codeOf(() => install(fresh(`[[hooks]]\nevent = "Stop"\ncommand = "cat ${STOP.script}"\n`)))).toBe(
      'HOST_SETTINGS_SHAPE',
    )
  })

  it('is finished and undone and keeps what the user typed meanwhile', () => {
    const installed = install(fresh('a = 1\n'))
    expect(undoHostEdit((installed.text ?? '').replace('a = 1', 'a = 2'), installed.edit)).toBe('a = 2\n')
    expect(applyHostEdit('a = 2\n', installed.edit)).toBe((installed.text ?? '').replace('a = 1', 'a = 2'))
  })

  it('finds no statement in a string or an array', () => {
    const kinds = scanToml(TRICKY).map(({ kind, start, end }) => [kind, TRICKY.slice(start, end).split('\n')[0]])
    expect(kinds).toEqual([
      ['comment', '# mine'],
      ['pair', 'model = "k"'],
      ['comment', '# note'],
      ['pair', 'text = """'],
      ['pair', "raw = '''a ' [[hooks]] '''"],
      ['pair', 'list = ['],
      ['header', '[[hooks]]'],
      ['pair', 'event = "Stop"'],
      ['pair', "command = 'mine'"],
      ['header', '[hooks.env]'],
      ['pair', 'A = "1"'],
      ['header', '[ui]'],
      ['pair', 'date = 1979-05-27T07:32:00Z'],
      ['pair', 'big = 9223372036854775807'],
    ])
  })
})

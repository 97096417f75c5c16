import { describe, expect, it } from 'vitest'
import { wantsJson } from '../../src/cli/flag-values.ts'
import { parseCommandLine } from '../../src/cli/parse-command-line.ts'
import { codeOf, hintOf, thrownBy } from '../helpers/thrown.ts'

const parsing =
  (...argv: string[]) =>
  () =>
    parseCommandLine(argv)

describe('a command line', () => {
  it('names a command by noun and verb, also by the short noun', () => {
    for (const noun of ['capability', 'cap'])
      expect(parseCommandLine([noun, 'list'])).toMatchObject({
        kind: 'run',
        command: { noun: 'capability', verb: 'list' },
      })
  })

  it('takes flags before, between and after its words', () => {
    const flags = { json: true, scope: 'global' }
    for (const argv of [
      ['--json', '--scope', 'global', 'capability', 'list'],
      ['--scope=global', 'capability', '--json', 'list'],
      ['capability', 'list', '--scope', 'global', '--json'],
    ])
      expect(parseCommandLine(argv)).toMatchObject({ kind: 'run', flags })
  })

  it('without words requests help, or the version', () => {
    expect(parseCommandLine([])).toMatchObject({ kind: 'help', topic: [] })
    expect(parseCommandLine(['--verbose'])).toMatchObject({ kind: 'help', topic: [] })
    expect(parseCommandLine(['--version'])).toMatchObject({ kind: 'version' })
    expect(parseCommandLine(['--json', '--version'])).toMatchObject({ kind: 'version', flags: { json: true } })
  })

  it.each([
    [['-h'], []],
    [['--help'], []],
    [['capability', '--help'], ['capability']],
    [['-h', 'cap'], ['cap']],
    [
      ['capability', 'list', '-h'],
      ['capability', 'list'],
    ],
    [
      ['capability', 'list', 'too', 'many', '-h'],
      ['capability', 'list'],
    ],
    [['help'], []],
    [
      ['help', 'capability', 'list'],
      ['capability', 'list'],
    ],
    [['help', '--json', 'specs'], ['specs']],
  ])('requests help with %j', (argv, topic) => {
    expect(parseCommandLine(argv)).toMatchObject({ kind: 'help', topic })
  })

  it('with a noun alone requests its help, and takes no arguments', () => {
    expect(parseCommandLine(['capability'])).toMatchObject({ kind: 'help', topic: ['capability'] })
    expect(codeOf(parsing('capability', '--', 'list'))).toBe('USAGE_EXTRA_ARGUMENT')
  })

  it.each([
    ['add', 'install', ['./x']],
    ['upgrade', 'update', ['x']],
    ['rm', 'remove', ['x']],
    ['uninstall', 'remove', ['x']],
    ['ls', 'list', []],
    ['show', 'info', ['x']],
  ])('takes %s for %s', (typed, verb, args) => {
    expect(parseCommandLine(['cap', typed, ...args])).toMatchObject({ kind: 'run', command: { verb }, args })
    expect(parseCommandLine(['help', typed])).toMatchObject({ kind: 'help', topic: [typed] })
  })

  it.each([
    ['-y', { yes: true }],
    ['-g', { scope: 'global' }],
    ['-p', { scope: 'project' }],
    ['-yg', { yes: true, scope: 'global' }],
  ])('takes the short flag %s', (typed, flags) => {
    expect(parseCommandLine(['cap', 'install', './x', typed])).toMatchObject({ kind: 'run', args: ['./x'], flags })
    expect(parseCommandLine(['cap', 'install', typed, './x'])).toMatchObject({ kind: 'run', args: ['./x'], flags })
  })

  it('refuses two scopes, and a short flag in place of a value', () => {
    expect(codeOf(parsing('cap', 'list', '-g', '-p'))).toBe('USAGE_CONFLICT')
    expect(parseCommandLine(['cap', 'list', '-g', '--scope', 'global'])).toMatchObject({ flags: { scope: 'global' } })
    expect(codeOf(parsing('cap', 'list', '--project', '-g'))).toBe('USAGE_MISSING_ARGUMENT')
  })

  it.each([
    [['capabilty', 'list'], 'did you mean gsd capability?'],
    [['Capability', 'list'], 'did you mean gsd capability?'],
    [['capability', 'lst'], 'did you mean gsd capability list?'],
    [['list'], 'did you mean gsd capability list?'],
    [['hlep'], 'did you mean gsd help?'],
  ])('with mistyped words %j suggests the nearest', (argv, hint) => {
    expect(codeOf(parsing(...argv))).toBe('USAGE_UNKNOWN_COMMAND')
    expect(hintOf(parsing(...argv))).toBe(hint)
    expect(codeOf(parsing(...argv, '--help'))).toBe('USAGE_UNKNOWN_COMMAND')
  })

  it('with a word near to none lists the commands', () => {
    expect(hintOf(parsing('capability', 'zzzzzzzz'))).toMatch(/^known: .*\blist\b/)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'does not resolve the word %s through a prototype',
    (word) => {
      expect(codeOf(parsing(word))).toBe('USAGE_UNKNOWN_COMMAND')
      expect(codeOf(parsing('capability', word))).toBe('USAGE_UNKNOWN_COMMAND')
    },
  )

  it('with an unknown flag is refused before anything else is checked', () => {
    expect(codeOf(parsing('--scoep', 'global', 'capability', 'list'))).toBe('USAGE_UNKNOWN_FLAG')
    expect(hintOf(parsing('--scoep', 'global', 'capability', 'list'))).toBe('did you mean --scope?')
    expect(codeOf(parsing('capability', 'list', '--help', '--bogus'))).toBe('USAGE_UNKNOWN_FLAG')
  })

  it('with a flag of another command is refused', () => {
    expect(codeOf(parsing('capability', 'list', '--version'))).toBe('USAGE_UNKNOWN_FLAG')
  })

  it('with too many arguments is refused', () => {
    expect(codeOf(parsing('capability', 'list', 'x'))).toBe('USAGE_EXTRA_ARGUMENT')
    expect(codeOf(parsing('capability', 'list', '--', '--json'))).toBe('USAGE_EXTRA_ARGUMENT')
    expect(codeOf(parsing('--version', '--', 'x'))).toBe('USAGE_EXTRA_ARGUMENT')
  })

  it('with an empty word is refused', () => {
    expect(codeOf(parsing(''))).toBe('USAGE_UNKNOWN_COMMAND')
    expect(codeOf(parsing('capability', ''))).toBe('USAGE_UNKNOWN_COMMAND')
    expect(codeOf(parsing('capability', 'list', ''))).toBe('USAGE_BAD_VALUE')
  })

  it('with a hostile word shows its control characters escaped', () => {
    expect(thrownBy(parsing('a\u001b[31mb\u202e')).message).not.toMatch(/[\u0000-\u001f\u202e]/)
  })

  it('requests JSON even when it is invalid, but not by an argument after --', () => {
    expect(wantsJson(['capabilty', '--json'])).toBe(true)
    expect(wantsJson(['capability', 'list', '--scope', '--json'])).toBe(true)
    expect(wantsJson(['capability', 'list', '--json=yes'])).toBe(true)
    expect(wantsJson(['capability', 'list', '--', '--json'])).toBe(false)
    expect(wantsJson(['capability', 'list', '--jsonp'])).toBe(false)
  })
})

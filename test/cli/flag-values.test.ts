import { describe, expect, it } from 'vitest'
import type { Flags } from '../../src/cli/command.ts'
import { parseFlags, splitArguments } from '../../src/cli/flag-values.ts'
import { codeOf, hintOf } from '../helpers/thrown.ts'

const FLAGS = {
  json: { kind: 'switch', summary: '' },
  help: { kind: 'switch', summary: '' },
  downgrade: { kind: 'switch', negatable: true, summary: '' },
  settings: { kind: 'text', value: '<file>', summary: '' },
  scope: { kind: 'choice', values: ['global', 'project'], summary: '' },
  runtime: { kind: 'list', value: '<id>[,<id>]', summary: '' },
} as const satisfies Flags

const read = (...argv: string[]) => parseFlags(splitArguments(argv, FLAGS).flags, FLAGS)
const reading =
  (...argv: string[]) =>
  () =>
    read(...argv)

describe('flags', () => {
  it('that are not given are off, absent or empty', () => {
    expect(read()).toEqual({
      json: false,
      help: false,
      downgrade: undefined,
      settings: undefined,
      scope: undefined,
      runtime: [],
    })
  })

  it('take their value after a blank or after =, with the same result', () => {
    expect(read('--scope', 'global')).toEqual(read('--scope=global'))
    expect(read('--settings', './a b.json')).toEqual(read('--settings=./a b.json'))
  })

  it('keep everything after the first = as the value', () => {
    expect(read('--settings=a=b=')).toMatchObject({ settings: 'a=b=' })
  })

  it('take a value that starts with a dash', () => {
    expect(read('--settings', '-strange.json')).toMatchObject({ settings: '-strange.json' })
    expect(read('--settings', '--strange.json')).toMatchObject({ settings: '--strange.json' })
    expect(read('--settings', '-')).toMatchObject({ settings: '-' })
  })

  it('do not consume a flag that follows them, unless it is given with =', () => {
    for (const next of ['--json', '--scope=global', '--no-downgrade', '-h', '--'])
      expect(codeOf(reading('--settings', next))).toBe('USAGE_MISSING_ARGUMENT')
    expect(hintOf(reading('--settings', '--json'))).toContain('--settings=--json')
    expect(read('--settings=--json')).toMatchObject({ settings: '--json', json: false })
  })

  it('that need a value are refused at the end of the line', () => {
    expect(codeOf(reading('--settings'))).toBe('USAGE_MISSING_ARGUMENT')
  })

  it('with an empty value are refused, in either form', () => {
    for (const argv of [['--settings='], ['--settings', ''], ['--runtime=a,,b'], ['--runtime', ','], ['--scope=']])
      expect(codeOf(reading(...argv))).toBe('USAGE_BAD_VALUE')
  })

  it('that are switches refuse a value, even true', () => {
    for (const value of ['true', 'false', '0', '']) expect(codeOf(reading(`--json=${value}`))).toBe('USAGE_BAD_VALUE')
  })

  it('with a fixed set of values suggest the nearest one', () => {
    expect(codeOf(reading('--scope', 'globl'))).toBe('USAGE_BAD_VALUE')
    expect(hintOf(reading('--scope', 'globl'))).toBe('did you mean --scope global?')
    expect(codeOf(reading('--scope', 'GLOBAL'))).toBe('USAGE_BAD_VALUE')
  })

  it('given twice must agree', () => {
    expect(read('--scope=global', '--scope', 'global', '--json', '--json')).toMatchObject({
      scope: 'global',
      json: true,
    })
    expect(codeOf(reading('--scope=global', '--scope=project'))).toBe('USAGE_CONFLICT')
    expect(codeOf(reading('--downgrade', '--no-downgrade'))).toBe('USAGE_CONFLICT')
  })

  it('that are lists accumulate, by comma and by repetition', () => {
    expect(read('--runtime', 'a,b', '--runtime=c')).toMatchObject({ runtime: ['a', 'b', 'c'] })
  })

  it('that can be negated have three states', () => {
    expect(read('--downgrade')).toMatchObject({ downgrade: true })
    expect(read('--no-downgrade')).toMatchObject({ downgrade: false })
  })

  it('that cannot be negated have no --no- form', () => {
    expect(codeOf(reading('--no-json'))).toBe('USAGE_UNKNOWN_FLAG')
  })

  it.each([
    ['--jsno', '--json'],
    ['--JSON', '--json'],
    ['-json', '--json'],
    ['--setting=x', '--settings'],
    ['--no-downgrad', '--no-downgrade'],
    ['--down', '--downgrade'],
  ])('mistyped as %s suggest %s', (typed, meant) => {
    expect(codeOf(reading(typed))).toBe('USAGE_UNKNOWN_FLAG')
    expect(hintOf(reading(typed))).toBe(`did you mean ${meant}?`)
  })

  it.each(['--__proto__', '--constructor', '--prototype=x', '--toString', '--no-__proto__', '--', '-x', '-0'])(
    'are never read from a prototype: %s',
    (typed) => {
      if (typed === '--') expect(read(typed)).toEqual(read())
      else expect(codeOf(reading(typed))).toBe('USAGE_UNKNOWN_FLAG')
    },
  )
})

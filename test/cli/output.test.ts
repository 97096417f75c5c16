import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Output } from '../../src/cli/output.ts'
import { jsonText, makeReporter, toGsdError } from '../../src/cli/streams.ts'
import { errorText } from '../../src/cli/view/diagnostic-text.ts'
import { makeView } from '../../src/cli/view/view.ts'
import { diagnostic } from '../../src/diagnostic.ts'
import { GsdError } from '../../src/errors.ts'

const quietView = makeView(80, false, false)
const verboseView = makeView(80, false, true)

const thrownBy = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

describe('an error', () => {
  it('of type GsdError is shown unchanged', () => {
    const error = new GsdError('SPEC_MALFORMED', 'no')
    expect(toGsdError(error, true)).toBe(error)
  })

  it('of the system is explained, and is not a bug', () => {
    const error = toGsdError(
      thrownBy(() => readFileSync('/nowhere/at/all')),
      false,
    )
    expect(error.code).toBe('STATE_CHANGED')
    expect(error.message).toContain('/nowhere/at/all')
  })

  it('after a signal is an interruption', () => {
    expect(toGsdError(new DOMException('stop', 'AbortError'), true)).toMatchObject({
      code: 'INTERRUPTED',
      exitStatus: 130,
    })
  })

  it.each([new TypeError('x is not a function'), 'a text', null, { code: 'ENOENT' }])(
    'of any other kind is a bug: %j',
    (thrown) => {
      const error = toGsdError(thrown, false)
      expect(error).toMatchObject({ code: 'INTERNAL_ERROR', exitStatus: 1 })
      expect(error.hint).toContain('report')
    },
  )

  it('shows the stack of a bug only when asked', () => {
    const error = toGsdError(new TypeError('x is not a function'), false)
    expect(errorText(error, quietView)).not.toContain('    at ')
    expect(errorText(error, verboseView)).toContain('    at ')
  })

  it('shows the findings it carries', () => {
    const finding = diagnostic('error', 'MANIFEST_SYNTAX', 'a comma too many', {
      file: 'capability.json',
      line: 3,
      column: 7,
    })
    const error = new GsdError('OVERLAY_INVALID', 'not valid', { details: { diagnostics: [finding] } })
    expect(errorText(error, quietView)).toContain('error MANIFEST_SYNTAX capability.json:3:7: a comma too many')
  })
})

describe('a JSON answer', () => {
  it('reads back as the same value, whatever it contains', () => {
    const data = { text: 'a\u001b[2J\u009b\u202e\u2028é界\u{1f600}\ud800', __proto__: null }
    expect(JSON.parse(jsonText({ ok: true, data, warnings: [] }, false))).toEqual({
      ok: true,
      data: { text: data.text },
      warnings: [],
    })
  })

  it('contains no terminal control sequences', () => {
    const text = jsonText({ ok: true, data: '\u001b\u0007\u009b\u202e\u2066\u007f', warnings: [] }, true)
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  })

  it('for an error has code, message and hint, and no stack', () => {
    const error = new GsdError('SPEC_MALFORMED', 'no', { hint: 'yes', cause: new Error('inner') })
    expect(JSON.parse(jsonText({ ok: false, error, warnings: [] }, false))).toEqual({
      ok: false,
      error: { code: 'SPEC_MALFORMED', message: 'no', hint: 'yes' },
      warnings: [],
    })
  })
})

describe('output during a command', () => {
  const saidBy = (tty: boolean, quiet: boolean): string => {
    let written = ''
    const output: Output = { tty, columns: 80, failure: null, write: (text) => (written += text) }
    let now = 0
    const { report, clear } = makeReporter(output, quietView, quiet, () => now)
    report({ kind: 'progress', text: 'contacting' })
    now = 2500
    report({ kind: 'progress', text: 'downloading', done: 1_048_576, total: 4_194_304 })
    report({ kind: 'notice', text: 'waiting' })
    report({ kind: 'warning', diagnostic: diagnostic('warning', 'STATE_BUSY', 'busy') })
    if (quiet) report({ kind: 'warning', diagnostic: diagnostic('error', 'STATE_IO', 'broken') })
    clear()
    return written
  }

  it('has progress on a terminal only, on a line that is erased', () => {
    expect(saidBy(true, false)).toContain('downloading 1.0 MiB of 4.0 MiB (2 s)')
    expect(saidBy(true, false)).not.toContain('contacting')
    expect(saidBy(true, false)).toMatch(/\r\u001b\[2Kwaiting\n/)
    expect(saidBy(false, false)).toBe('waiting\nwarning STATE_BUSY busy\n')
  })

  it('is nothing but errors with --quiet', () => {
    expect(saidBy(true, true)).toBe('error STATE_IO broken\n')
  })
})

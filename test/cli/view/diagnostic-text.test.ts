import { describe, expect, it } from 'vitest'
import { errorText } from '../../../src/cli/view/diagnostic-text.ts'
import { makeView } from '../../../src/cli/view/view.ts'
import { diagnostic } from '../../../src/diagnostic.ts'
import { GsdError } from '../../../src/errors.ts'

const view = makeView(80, false, false)

describe('an error for a person', () => {
  it('shows the findings it carries, each with its position', () => {
    const finding = diagnostic('error', 'MANIFEST_TIER', 'tier is wrong', {
      file: 'capability.json',
      line: 3,
      column: 5,
    })
    const error = new GsdError('MANIFEST_INVALID', 'the manifest breaks a rule', {
      details: { diagnostics: [finding] },
    })
    expect(errorText(error, view)).toBe(
      'error MANIFEST_INVALID the manifest breaks a rule\n  error MANIFEST_TIER capability.json:3:5: tier is wrong',
    )
  })

  it('does not repeat its only finding', () => {
    const finding = diagnostic('error', 'INTEGRITY_DIGEST_MISMATCH', 'it is another one', { hint: 'get it anew' })
    const error = new GsdError('INTEGRITY_DIGEST_MISMATCH', '"x" cannot be installed: it is another one', {
      hint: 'get it anew',
      details: { diagnostics: [finding] },
    })
    expect(errorText(error, view)).toBe(
      'error INTEGRITY_DIGEST_MISMATCH "x" cannot be installed: it is another one\n  hint: get it anew',
    )
  })
})

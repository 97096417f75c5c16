import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { validate } from '../../src/operation/validate.ts'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import type { Disclosure } from '../../src/trust/disclosure.ts'
import { grantIn, installIn, updateIn } from '../helpers/operations.ts'
import { useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()
const REVERSE = '\u202e'

/** Writes `capability.json` with text that JSON.stringify would escape. */
const escaped = (dir: string, from: string, to: string): string => {
  const file = join(dir, 'capability.json')
  writeFileSync(file, scratch.text(file.slice(scratch.root.length + 1)).replace(from, to))
  return dir
}

describe('hidden text is refused without the flag, and shown with it', () => {
  const skill = (content: string | Buffer) => ({ manifest: { skills: ['s'] }, files: { 'skills/s/SKILL.md': content } })
  test.each([
    ['in a skill', () => scratch.bundle('guard', skill(`# S\n\nDo ${REVERSE}this\n`)), 'skills/s/SKILL.md', 3, 4],
    [
      'in an agent, as tag characters',
      () =>
        scratch.bundle('guard', { manifest: { agents: ['a'] }, files: { 'agents/a.md': 'hi\u{e0068}\u{e0069}\n' } }),
      'agents/a.md',
      1,
      3,
    ],
    [
      'in a fragment, as a run of zero-width characters',
      () =>
        scratch.bundle('guard', {
          manifest: {
            contributions: [
              { point: 'plan:pre', into: 'planner', produces: [], consumes: [], fragment: { path: 'f/x.md' } },
            ],
          },
          files: { 'f/x.md': 'one\ntwo\u200b\u200c\u200d\n' },
        }),
      'f/x.md',
      2,
      4,
    ],
    [
      'in a comment of a script',
      () => scratch.bundle('guard', { files: { 'hooks/run.sh': `#!/bin/sh\n# ${REVERSE}\n` } }),
      'hooks/run.sh',
      2,
      3,
    ],
    [
      'behind a byte that is no UTF-8',
      () => scratch.bundle('guard', skill(Buffer.concat([Buffer.of(0xff, 0x0a), Buffer.from(REVERSE)]))),
      'skills/s/SKILL.md',
      2,
      1,
    ],
    ['behind a zero byte', () => scratch.bundle('guard', skill(`a\0b\n${REVERSE}`)), 'skills/s/SKILL.md', 2, 1],
    [
      'in UTF-16',
      () => scratch.bundle('guard', skill(Buffer.from(`\ufeffa\n${REVERSE}`, 'utf16le'))),
      'skills/s/SKILL.md',
      2,
      1,
    ],
    [
      'after a megabyte of one line',
      () => scratch.bundle('guard', skill(`${'é'.repeat(600_000)}\n\n${REVERSE}`)),
      'skills/s/SKILL.md',
      3,
      1,
    ],
    [
      'as a byte order mark at the start of the second megabyte',
      () => scratch.bundle('guard', skill(`${'a'.repeat(1024 * 1024 - 1)}\n\ufeffb`)),
      'skills/s/SKILL.md',
      2,
      1,
    ],
    [
      'across the border of two pieces of a line without letters',
      () => scratch.bundle('guard', skill(`${'é'.repeat(524_287)}é\u200d\u200dé`)),
      'skills/s/SKILL.md',
      1,
      524_289,
    ],
    ['as backspaces', () => scratch.bundle('guard', skill('curl evil\b\b\b\b\b\b\b\b\b')), 'skills/s/SKILL.md', 1, 10],
    [
      'as an escape sequence in a script',
      () => scratch.bundle('guard', { files: { 'hooks/run.sh': '#!/bin/sh\n\u001b[8mrm -rf ~\u001b[0m\n' } }),
      'hooks/run.sh',
      2,
      1,
    ],
    [
      'in the title',
      () => scratch.bundle('guard', { manifest: { title: `Gu${REVERSE}ard` } }),
      'capability.json',
      5,
      15,
    ],
    [
      'in the title, spelt as an escape',
      () => escaped(scratch.bundle('guard', { manifest: { title: 'Guard' } }), '"Guard"', '"Gu\\u202eard"'),
      'capability.json',
      5,
      12,
    ],
    [
      'in a key of the manifest, spelt as an escape',
      () => escaped(scratch.bundle('guard', { manifest: { 'x-note': 'n' } }), '"x-note"', '"x-n\\u200bote"'),
      'capability.json',
      expect.any(Number),
      3,
    ],
    [
      'in the name of a file',
      () => scratch.bundle('guard', { files: { [`docs/a${REVERSE}b.md`]: 'x' } }),
      `docs/a${REVERSE}b.md`,
      0,
      7,
    ],
  ])('%s', async (_what, make, file, line, column) => {
    const bundle = make()
    const error = await scratch.refused(() => scratch.install(bundle))
    expect(error).toMatchObject({
      code: 'CONSENT_HIDDEN_TEXT',
      exitStatus: 3,
      hint: expect.stringContaining('--allow-hidden-unicode'),
    })
    expect(error.details).toMatchObject({
      id: 'guard',
      hidden: expect.arrayContaining([
        expect.objectContaining({ file, line, column, codePoint: expect.stringMatching(/^U\+[0-9A-F]{4,}$/) }),
      ]),
    })
    expect(error.message).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u{e0000}-\u{e0fff}]/u)
    const shown: Disclosure[] = []
    const consentPrompt: ConsentPrompt = { assumeYes: true, confirm: null, disclose: (all) => void shown.push(...all) }
    await scratch.install(bundle, { allowHidden: true, consentPrompt })
    expect(shown[0]?.hidden).not.toEqual([])
  })
})

describe('the flag', () => {
  const hidden = { files: { 'notes.md': `a${REVERSE}b\n` } }

  test('is not needed again for the same bundle, and is for another one', async () => {
    const bundle = scratch.bundle('guard', hidden)
    await scratch.install(bundle, { allowHidden: true })
    expect(await scratch.install(bundle)).toMatchObject({ unchanged: ['guard'] })
    scratch.bundle('guard', { files: { 'notes.md': `a${REVERSE}c\n` } })
    const error = await scratch.refused(() => updateIn(scratch.testContext().context, 'guard'))
    expect(error.code).toBe('CONSENT_HIDDEN_TEXT')
  })

  test('is needed to trust a bundle that was added to a project', async () => {
    scratch.bundle('guard', { ...hidden, to: 'project/.gsd/capabilities/guard' })
    const { context } = scratch.testContext()
    expect(await scratch.refused(() => grantIn(context, 'guard'))).toMatchObject({ code: 'CONSENT_HIDDEN_TEXT' })
    expect(await grantIn(context, 'guard', { allowHidden: true })).toMatchObject({ changed: ['guard'] })
  })

  test('is announced by validate, by file, line and column', async () => {
    const bundle = scratch.bundle('guard', hidden)
    const { files } = await validate(scratch.testContext().context, [bundle])
    expect(files[0]?.diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'CONSENT_HIDDEN_TEXT',
        severity: 'warning',
        file: join(bundle, 'notes.md'),
        line: 1,
        column: 2,
      }),
    )
  })
})

test('ordinary text in many scripts, emoji and images pass', async () => {
  const bundle = scratch.bundle('guard', {
    files: {
      'ar.md': 'مرحبا بالعالم — نسخة 1.0\u200f\n',
      'fa.md': 'می‌خواهم کتاب‌ها را بخوانم\n',
      'he.md': 'שלום (hello)\u200f עולם\n',
      'hi.md': 'क्‍ष और श्‍रीमान्\n',
      'si.md': 'ශ්‍රී ලංකා\n',
      'th.md': 'ภาษา\u200bไทย\n',
      'emoji.md': '👨‍👩‍👧‍👦 ❤️‍🔥 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣\n',
      'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0xe2, 0x80, 0xae, 0xe2, 0x80, 0x8b]),
    },
  })
  expect(await installIn(scratch.testContext().context, bundle)).toMatchObject({ installed: [{ id: 'guard' }] })
})

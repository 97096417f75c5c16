import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { asPageText, fillPage, isShown, isShownJson, isShownText } from '../helpers/doc-output.ts'
import { blocksOf, docStepsOf, docPages, notRun, ROOT } from '../helpers/doc-page.ts'
import { runPage } from '../helpers/doc-run.ts'

/** Commands that are shown and that no test can run. */
const NOT_RUN: readonly string[] = [
  'README.md: .ci/run does',
  'README.md: .ci/run does',
  'CONTRIBUTING.md: .ci/run does',
  'docs/how-to/add-a-first-party-capability.md: .ci/run does',
  'docs/how-to/drive-the-loop-from-a-host.md: it needs the package in a registry',
  'docs/how-to/write-for-an-editor.md: it needs the package in a registry',
]

const UPDATE = 'if that is right: UPDATE_DOCS=1 npx vitest run test/docs/commands.test.ts'

describe.concurrent('every documented command does what its page says', () => {
  it.each(docPages().filter((page) => docStepsOf(page).some(({ kind }) => kind === 'run')))('%s', async (page) => {
    const done = await runPage(page)
    if (process.env['UPDATE_DOCS'] === '1') fillPage(page, done)
    for (const each of done) {
      const { step, output, status } = each
      const position = `${page}:${step.line}: ${step.command.trim()}\n${output ?? 'never reached'}`
      expect(status, position).toBe(step.status)
      if (!isShown(each)) expect(asPageText(each), `${position}\n${UPDATE}`).toBe(step.output)
    }
  })
})

it('every block of the docs names a language that the docs test knows', () => {
  const known = ['sh', 'console', 'text', 'json', 'js', 'ts', 'markdown', 'yaml', 'html', 'diff']
  expect(
    docPages().flatMap((page) =>
      blocksOf(page).flatMap(({ lang, line }) => (known.includes(lang) ? [] : [`${page}:${line}: ${lang}`])),
    ),
  ).toEqual([])
})

it('only listed commands of the docs are not run', () => {
  expect(
    docPages()
      .flatMap(notRun)
      .map(({ page, why }) => `${page}: ${why}`),
  ).toEqual(NOT_RUN)
})

it('.ci/run runs the commands that the docs test leaves to it', () => {
  const steps = readFileSync(join(ROOT, '.ci/run'), 'utf8').match(/(?<=^step ).+$/gm)
  const left = docPages()
    .flatMap(notRun)
    .filter(({ why }) => why === '.ci/run does')
    .flatMap(({ text }) => text.trim().split(/\n| && /))
  expect(left.filter((command) => !steps?.includes(command))).toEqual([])
})

describe('the output that a page shows', () => {
  it.each([
    ['a\nb\n', 'a  \nb', true],
    ['sha512-A3… x', 'sha512-A3RyzTr6FN x', true],
    ['a\n…\nc', 'a\nb\nb\nc', true],
    ['a\n…\nc', 'a\nb\nb\nd', false],
    ['a.b', 'axb', false],
    ['a', 'a\nb', false],
  ])('has %j for %j as %j', (shown, printed, verdict) => expect(isShownText(shown, printed)).toBe(verdict))

  it.each([
    ['{"a": ["x…"]}', '{"a":["xyz"]}', true],
    ['{"a": 1, "b": 2}', '{"b":2,"a":1}', true],
    ['{"a": 1}', '{"a":1,"b":2}', false],
    ['{"a": [1]}', '{"a":[1,2]}', false],
    ['{"a": null}', '{"a":{}}', false],
    ['{"a": 1}', 'not json', false],
  ])('has %j as JSON for %j as %j', (shown, printed, verdict) => expect(isShownJson(shown, printed)).toBe(verdict))
})

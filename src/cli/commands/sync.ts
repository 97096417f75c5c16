import { GsdError } from '../../errors.ts'
import type { SyncAnswer } from '../../operation/sync-answer.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import { terminalConsentPrompt } from '../consent-prompt.ts'
import { disclosureLines } from '../view/disclosure.ts'
import { plannedLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

export const sync = defineCommand({
  noun: 'capability',
  verb: 'sync',
  summary: 'Make the disk match the ledger: on a fresh clone, in CI, after an edit.',
  args: [],
  flags: {
    frozen: { kind: 'switch', summary: 'fail if the ledger would change or files were edited' },
    ...FETCH_FLAGS,
    'allow-hidden-unicode': { kind: 'switch', summary: 'allow text with invisible characters' },
    force: { kind: 'switch', summary: 'replace edited files, keeping copies' },
  },
  examples: ['gsd capability sync', 'gsd capability sync --frozen --scope project'],
  async run(context, { flags, terminal }) {
    const operation = await import('../../operation/sync.ts')
    const work = operation.sync(context, {
      scope: flags.scope ?? null,
      frozen: flags.frozen,
      force: flags.force,
      allowHttp: flags['allow-http'],
      allowHidden: flags['allow-hidden-unicode'],
      dryRun: flags['dry-run'],
      consentPrompt: terminalConsentPrompt(terminal, flags.yes),
    })
    const answer = await work.catch(unreadableAnswer)
    const { warnings, refusal, ...data } = answer
    return { data, human: (view) => text(answer, view), warnings, ...(refusal === null ? {} : { error: refusal }) }
  },
})

/** What cannot be read stops a sync before its first change; the report says so, and that nothing was done. */
const unreadableAnswer = (error: unknown): SyncAnswer => {
  if (!(error instanceof GsdError) || !UNREADABLE.has(error.code)) throw error
  return {
    restored: [],
    wired: [],
    unchanged: [],
    extras: [],
    moreExtras: 0,
    granted: [],
    notGranted: [],
    failed: [],
    refusal: error,
    warnings: [],
  }
}

const UNREADABLE: ReadonlySet<string> = new Set(['STATE_UNREADABLE', 'STATE_NEWER_SCHEMA'])

/** What was wrong with one that is restored, file by file. */
const restoredLines = ({ keptIn, missing, lineEndings }: SyncAnswer['restored'][number]): string[] => [
  ...missing.map((path) => `  missing ${formatFileName(path)}`),
  ...lineEndings.map((path) => `  other line endings ${formatFileName(path)}`),
  ...(keptIn === null ? [] : [`  your edited files are kept in ${keptIn}`]),
]

const text = (
  { restored, granted, notGranted, wired, unchanged, failed, refusal, plan }: SyncAnswer,
  view: View,
): string =>
  [
    ...restored.flatMap((row) => [
      `${view.style('green', plan === undefined ? 'restored' : 'would restore')} ${row.id} (${row.scope})`,
      ...restoredLines(row),
    ]),
    ...failed.map(({ id, scope }) => `${view.style('red', 'not restored')} ${id} (${scope})`),
    ...granted.map(
      ({ id, scope }) => `${view.style('green', plan === undefined ? 'trusted' : 'would trust')} ${id} (${scope})`,
    ),
    ...notGranted.map(
      ({ id, scope }) => `${view.style('yellow', 'not wired')} ${id} (${scope}): you did not agree to it here`,
    ),
    ...wired.map(
      ({ id, runtime, file }) =>
        `${view.style('green', plan === undefined ? 'wired' : 'would wire')} ${id} into ${runtime}: ${file}`,
    ),
    ...(unchanged.length === 0 ? [] : [`${unchanged.length} already up to date`]),
    ...(plan?.disclosures ?? []).flatMap((each) => ['', ...disclosureLines(each)]),
    ...plannedLines(plan),
  ].join('\n') || (refusal === null ? 'the ledger is empty' : '')

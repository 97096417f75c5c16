import { CODES, type Code } from '../src/codes.ts'
import { RULE_CODES, RULES, type RuleCode } from '../src/manifest/rules/table.ts'
import { statusTable } from './command-pages.ts'
import { code, page, plainMarkdown, table } from './markdown.ts'

/** `docs/reference/error-codes.md`: every code there is, from the tables the program takes them from. */
export const codesPage = (): string =>
  page([
    '# Error codes',
    'Every code that `gsd` and the library can answer with, made from the tables in the code (`npm run generate`). A code names ' +
      'what happened once and for all; messages may be put better with any version. With `--json` the code is in ' +
      '`error.code`, or in `code` of a diagnostic.',
    'The exit status is that of the error that ended the command. A code that a warning carries does not change it.',
    '## Exit statuses',
    statusTable(),
    ...families().flatMap(([family, codes]) => [
      `## ${family}`,
      TITLES.get(family) ?? '',
      table(
        ['Code', 'Exit', 'What it says'],
        codes.map((each) => [code(each), String(CODES[each][0]), CODES[each][1]]),
      ),
    ]),
    '## Rules of the manifest',
    'These stand in the diagnostics of `validate`, of `MANIFEST_INVALID` and of `OVERLAY_INVALID`. [Manifest rules](manifest-rules.md) ' +
      'has each with its message and what mends it. A finding that is an error ends `validate` with 3.',
    table(
      ['Code', 'Rule', 'What it demands'],
      RULE_CODES.map((each) => [code(each), ruleOf(each), demandOf(each)]),
    ),
  ])

/** Codes by the word they start with, in the order of the table. */
const families = (): readonly (readonly [family: string, codes: readonly Code[]])[] => {
  const found = new Map<string, Code[]>()
  for (const each of Object.keys(CODES) as Code[]) {
    const family = each.includes('_') && TITLES.has(each.split('_')[0] ?? '') ? (each.split('_')[0] ?? '') : 'Others'
    found.set(family, [...(found.get(family) ?? []), each])
  }
  return [...found]
}

const ruleOf = (each: RuleCode): string => (RULES[each].rule === 0 ? 'reading' : String(RULES[each].rule))

const demandOf = (each: RuleCode): string =>
  `${plainMarkdown(RULES[each].requirement)}${RULES[each].isWarning === true ? ' (warning)' : ''}`

/** Each family, with what its codes are about. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['USAGE', 'The command line.'],
  ['SPEC', 'The text that names a source.'],
  ['FETCH', 'Bringing a source here.'],
  ['INTEGRITY', 'Hashes of archives and bundles.'],
  ['ARCHIVE', 'What is in an archive or a folder.'],
  ['MANIFEST', 'The manifest as a whole.'],
  ['REGISTRY', 'Several capabilities together.'],
  ['OVERLAY', 'Capabilities that are installed.'],
  ['CONSENT', 'Consent to what a capability runs.'],
  ['POLICY', 'What the owner of the machine, the user or the project allows.'],
  ['HOST', 'Coding agents and their settings.'],
  ['STATE', 'What is on the disk.'],
  ['LOCK', 'Operations that would meet.'],
])

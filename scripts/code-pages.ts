import { CODES, type Code } from '../src/codes.ts'
import { statusTable } from './command-pages.ts'
import { code, page, table } from './markdown.ts'

/** `docs/reference/error-codes.md`: every code, from `src/codes.ts`. */
export const codesPage = (): string =>
  page([
    '# Error codes',
    'Every code of `gsd` and the library, generated from the code by `npm run generate`. Codes never change their meaning; messages ' +
      'may change. With `--json` a code is in `error.code`, or in `code` of a diagnostic. Rules of the manifest have codes of their ' +
      'own: see [Manifest rules](manifest-rules.md).',
    'The exit status is that of the error that ended the command. Warnings do not change it.',
    '## Exit statuses',
    statusTable(),
    ...families().flatMap(([family, codes]) => [
      `## ${family}`,
      TITLES.get(family) ?? '',
      table(
        ['Code', 'Exit', 'Meaning'],
        codes.map((each) => [code(each), String(CODES[each][0]), CODES[each][1]]),
      ),
    ]),
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

/** Each family, with what its codes are about. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['USAGE', 'The command line.'],
  ['SPEC', 'The text that names a source.'],
  ['FETCH', 'Downloads and local sources.'],
  ['INTEGRITY', 'Hashes of archives and bundles.'],
  ['ARCHIVE', 'The content of an archive or a folder.'],
  ['MANIFEST', 'The manifest as a whole.'],
  ['REGISTRY', 'Several capabilities together.'],
  ['OVERLAY', 'Installed capabilities.'],
  ['CONSENT', 'Consent to what a capability runs.'],
  ['POLICY', 'Sources that are allowed.'],
  ['HOST', 'Coding agents and their settings.'],
  ['STATE', 'Files on disk.'],
  ['LOCK', 'Simultaneous operations.'],
])

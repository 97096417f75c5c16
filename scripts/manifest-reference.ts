import type { Diagnostic } from '../src/diagnostic.ts'
import { capabilitySchema } from '../src/manifest/capability-schema.ts'
import { checkBundleFiles } from '../src/manifest/check-bundle-files.ts'
import { checkManifest, validateCapability } from '../src/manifest/check-manifest.ts'
import { parseManifest } from '../src/manifest/parse-manifest.ts'
import { RULE_CODES, RULES, type RuleCode } from '../src/manifest/rules/table.ts'
import { brokenText, readFaultCases, readValid } from './fault-cases.ts'

/** What is made from the rules and kept in the repository; a test holds the files against this. */
export const generatedFiles = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'schemas/capability.schema.json', text: `${JSON.stringify(capabilitySchema(), null, 2)}\n` },
  { file: 'docs/reference/manifest-rules.md', text: rulesPage() },
]

const FILE = 'capability.json'
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (bytes: Uint8Array) => checkManifest(parseManifest(bytes, { file: FILE })).diagnostics

/** Every code with what a user sees when it is found: of the cases that are kept as fixtures, else made here. */
export const samples = (): ReadonlyMap<RuleCode, Diagnostic> => {
  const found = new Map<RuleCode, Diagnostic>()
  const keep = (diagnostics: readonly Diagnostic[]): void => {
    for (const it of diagnostics) {
      const known = found.get(it.code as RuleCode)
      // One that shows an offending value says more than one of a missing member.
      if (known === undefined || (MISSING.test(known.message) && !MISSING.test(it.message)))
        found.set(it.code as RuleCode, it)
    }
  }
  for (const fault of readFaultCases()) keep(read(bytesOf(brokenText(fault))))
  for (const diagnostics of madeHere()) keep(diagnostics)
  return found
}

const MISSING = /^"[^"]+" is missing/

const madeHere = (): readonly (readonly Diagnostic[])[] => {
  const small = readValid('feature-small')
  const value = JSON.parse(small) as Record<string, unknown>
  const large = checkManifest(parseManifest(bytesOf(readValid('feature')), { file: FILE })).manifest
  const fragments = new Map([['fragments/plan.md', { size: 300_000 }]])
  return [
    read(new Uint8Array(1024 * 1024 + 1)),
    read(Uint8Array.of(...bytesOf('{ "id": "'), 0xff)),
    read(bytesOf(`\ufeff${small}`)),
    read(bytesOf(small.replace('[],\n  "runtimeCompat"', '[],],\n  "runtimeCompat"'))),
    read(bytesOf(small.replace('"skills": []', `"skills": ${'['.repeat(70)}${']'.repeat(70)}`))),
    read(bytesOf(small.replace('"requires": []', `"requires": [${'5, '.repeat(510)}5]`))),
    validateCapability({ ...value, title: () => 'computed' }),
    checkManifest(parseManifest(bytesOf(small), { file: FILE }), { folder: 'little' }).diagnostics,
    large === null ? [] : checkBundleFiles(large, new Map()),
    large === null ? [] : checkBundleFiles(large, fragments),
  ]
}

const rulesPage = (): string => {
  const shown = samples()
  const rows = [...RULE_CODES]
    .toSorted((a, b) => RULES[a].rule - RULES[b].rule)
    .map((code) => row(code, shown.get(code)))
  return [INTRODUCTION, '<!-- prettier-ignore -->', ...HEAD, ...rows, ''].join('\n')
}

const HEAD = ['| Rule | Code | It must be | What you see | What to do |', '| ---: | --- | --- | --- | --- |']

const row = (code: RuleCode, sample: Diagnostic | undefined): string => {
  const { rule, requirement, isWarning } = RULES[code]
  const name = `\`${code}\`${isWarning ? ' (warning)' : ''}`
  const cells = [
    rule === 0 ? '–' : `${rule}`,
    name,
    markdown(requirement),
    markdown(sample?.message),
    markdown(sample?.hint),
  ]
  return `| ${cells.join(' | ')} |`
}

/** What a reader of Markdown sees is what is meant. */
const markdown = (text = ''): string => text.replaceAll(/[\\`*_{}[\]<>|]/g, '\\$&')

const INTRODUCTION = `# Manifest rules

Every rule for \`capability.json\`, with its code, what it demands, and what you see and can do when it is broken.
\`gsd capability validate <dir>\` reports everything at once, each finding with file, line, column and JSON pointer. Findings
are errors unless the table says warning. Rules without a number are those of reading. Rules 34, 41 and 42 only allow
something, and those over several capabilities (43 to 48) have codes that start with \`REGISTRY_\`. The examples come from the
manifests in \`fixtures/manifests/\`; this page is made from them and from the rules by \`npm run generate\`.

\`schemas/capability.schema.json\` tells editors the same, as far as a JSON Schema can: it does not see what is wrong with the
text itself (repeated keys, control characters), with ranges, URLs and regular expressions, or between several members (what
must be declared, or go together).
`

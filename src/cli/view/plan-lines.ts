import type { PlanView } from '../../operation/plan/install-request.ts'
import { cleanText } from '../../redact.ts'
import type { Change } from '../../state/change.ts'
import type { HostEntry } from '../../state/host-edit.ts'
import type { ShownCode } from '../../trust/read-code.ts'
import { codeLines } from './code-text.ts'
import { disclosureLines } from './disclosure.ts'
import type { View } from './view.ts'

type Of<K extends Change['kind']> = Extract<Change, { kind: K }>

/** One line a change. */
export const changeLines = (changes: readonly Change[]): string[] =>
  changes.map((change) => cleanText(`  ${CHANGE_TEXTS[change.kind](change as never)}`))

/** What `--dry-run` shows below its answer; empty without changes. */
export const plannedLines = (plan: { readonly changes: readonly Change[] } | undefined): string[] =>
  plan === undefined || plan.changes.length === 0
    ? []
    : ['', 'what would change, in this order:', ...changeLines(plan.changes)]

const CHANGE_TEXTS: { readonly [K in Change['kind']]: (change: Of<K>) => string } = {
  record: ({ store, key, before, after }) =>
    `${after === null ? 'remove from' : before === null ? 'add to' : 'change in'} ${STORE_NAMES[store]}: ${key.at(-1) ?? ''}`,
  swap: ({ target, from, replaces }) => `${from === null ? 'remove' : replaces ? 'replace' : 'place'} .gsd/${target}`,
  host: ({ edit }) => {
    if (edit.surface === 'placed-file') {
      const verb = edit.add.length === 0 ? 'remove' : edit.hashBefore === null ? 'place' : 'replace'
      return `${verb} ${edit.file}`
    }
    const counts = [
      ...(edit.add.length > 0 ? [`add ${counted(edit.add)}`] : []),
      ...(edit.remove.length > 0 ? [`remove ${counted(edit.remove)}`] : []),
    ]
    return `edit ${edit.file}: ${counts.join(', ')}`
  },
}

const counted = (entries: readonly HostEntry[]): string => {
  const noun = entries[0]?.kind === 'server' ? 'server' : 'hook'
  return `${entries.length} ${noun}${entries.length === 1 ? '' : 's'}`
}

const STORE_NAMES = {
  grants: 'your consents',
  hosts: 'the record of host files',
  state: 'what is enabled and disabled',
  ledger: 'the ledger',
} as const

/** With `--verbose`, the text or the difference of what needs consent. */
export const plannedCode = (code: readonly ShownCode[] = [], { verbose, style }: View): string[] =>
  verbose ? code.flatMap(({ files }) => files.flatMap((file) => codeLines(file, { style, all: true, rest: '' }))) : []

/** What `--dry-run` shows of a plan: what needs consent, then what would change. */
export const planLines = ({ disclosures, changes, code = [] }: PlanView, view: View): string[] => [
  ...disclosures.flatMap((disclosure) => ['', ...disclosureLines(disclosure)]),
  ...plannedCode(code, view),
  '',
  view.style('bold', changes.length === 0 ? 'nothing would change' : 'what would change, in this order:'),
  ...changeLines(changes),
]

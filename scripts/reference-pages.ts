import { catalogPage } from './catalog-page.ts'
import { codesPage } from './code-pages.ts'
import { commandsPage } from './command-pages.ts'
import { hostsPage } from './hosts-page.ts'

/** Pages of the reference that are made from the code; a test holds the files against this. */
export const referencePages = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'docs/reference/cli.md', text: commandsPage() },
  { file: 'docs/reference/catalog.md', text: catalogPage() },
  { file: 'docs/reference/error-codes.md', text: codesPage() },
  { file: 'docs/reference/hosts.md', text: hostsPage() },
]

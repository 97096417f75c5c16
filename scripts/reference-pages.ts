import { catalogPage } from './catalog-page.ts'
import { codesPage } from './code-pages.ts'
import { commandsPage } from './command-pages.ts'
import { firstPartyHosts, hostsPage } from './hosts-page.ts'

/** Files that are generated: pages of the reference, and what the code takes from the manifests. */
export const referencePages = (): readonly { readonly file: string; readonly text: string }[] => [
  { file: 'docs/reference/cli.md', text: commandsPage() },
  { file: 'docs/reference/catalog.md', text: catalogPage() },
  { file: 'docs/reference/error-codes.md', text: codesPage() },
  { file: 'docs/reference/hosts.md', text: hostsPage() },
  { file: 'src/host/runtimes/first-party-hosts.json', text: firstPartyHosts() },
]

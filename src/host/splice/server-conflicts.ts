import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { FoundServer, ServerMatches } from './match-servers.ts'
import { positionOf } from './text-position.ts'

interface SettingsText {
  readonly file: string
  readonly text: string
}

/** @throws HOST_SERVER_NAME, with line and column, where a server of the user has a name that ours needs */
export const requireFreeNames = ({ file, text }: SettingsText, { nameConflicts }: ServerMatches<FoundServer>): void => {
  const [first] = nameConflicts
  if (first === undefined) return
  const { line, column } = positionOf(text, first.offset)
  throw new GsdError(
    'HOST_SERVER_NAME',
    `${file}:${line}:${column}: there is an MCP server ${quote(first.name)} already, and it is not ours`,
    {
      hint: `rename it or take it out, then run the command again; ${file} was left as it is`,
      details: { file, line, column, server: first.name },
    },
  )
}

/** What was edited by hand, and what became of it. */
export const serverWarnings = ({ file, text }: SettingsText, claims: ServerMatches<FoundServer>): Diagnostic[] => {
  const tell = ({ name, offset }: FoundServer, what: string): Diagnostic =>
    diagnostic('warning', 'HOST_ENTRY_EDITED', `the MCP server ${quote(name)} ${what}`, {
      file,
      ...positionOf(text, offset),
    })
  return [
    ...claims.toRemove
      .filter(({ edited }) => edited)
      .map(({ entry }) => tell(entry, 'was edited or renamed, and was taken out')),
    ...claims.keptEdited.map((entry) => tell(entry, 'was edited or renamed, and stays so')),
    ...claims.replaced.map((entry) => tell(entry, 'is not ours any more, and stays')),
  ]
}

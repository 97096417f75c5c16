import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import type { SpliceRequest } from '../surfaces/surface.ts'
import { shapeError } from './json-document.ts'
import type { FoundHook, HookMatches } from './match-hooks.ts'
import type { FoundServer, ServerMatches } from './match-servers.ts'
import { positionOf } from './text-patch.ts'

interface SettingsText {
  readonly file: string
  readonly text: string
}

/** @throws HOST_SETTINGS_SHAPE where a hook of the user runs a script of ours that is not on record yet */
export const refuseForeignHook = (
  document: SettingsText,
  { foreign, toAdd }: HookMatches<FoundHook>,
  { strict, recorded }: SpliceRequest,
): void => {
  const [first] = foreign
  if (first === undefined || !strict || recorded.length > 0 || toAdd.length === 0) return
  throw shapeError(
    document,
    first.offset,
    `a hook that is not ours runs our script: ${quote(first.command)}`,
    'remove that hook, then run the command again',
  )
}

/** Hooks that were edited by hand, and what happened to them. */
export const hookWarnings = (
  document: SettingsText,
  { toRemove, keptEdited, foreign }: HookMatches<FoundHook>,
  { strict }: SpliceRequest,
): Diagnostic[] => {
  const warn = ({ command, event, offset }: FoundHook, what: string, hint?: string): Diagnostic =>
    editedWarning(document, { offset, message: `${what}: ${quote(command)} in ${event}`, hint })
  return [
    ...toRemove
      .filter(({ edited }) => edited)
      .map(({ found }) => warn(found, 'an entry that was edited or moved was removed')),
    ...keptEdited.map((found) => warn(found, 'an entry of ours was edited or moved and stays as it is', RESTORE)),
    ...(strict ? foreign.map((found) => warn(found, 'an entry that is not ours names our script and stays')) : []),
  ]
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
      hint: `rename or remove it, then run the command again; ${file} was left as it is`,
      details: { file, line, column, server: first.name },
    },
  )
}

/** Servers that were edited by hand, and what happened to them. */
export const serverWarnings = (
  document: SettingsText,
  { toRemove, keptEdited, replaced }: ServerMatches<FoundServer>,
): Diagnostic[] => {
  const warn = ({ name, offset }: FoundServer, what: string): Diagnostic =>
    editedWarning(document, { offset, message: `the MCP server ${quote(name)} ${what}` })
  return [
    ...toRemove
      .filter(({ edited }) => edited)
      .map(({ found }) => warn(found, 'was edited or renamed, and was removed')),
    ...keptEdited.map((found) => warn(found, 'was edited or renamed, and stays as it is')),
    ...replaced.map((found) => warn(found, 'is not ours any more, and stays')),
  ]
}

const RESTORE = 'gsd capability sync --force: restores it'

interface Edited {
  readonly offset: number
  readonly message: string
  readonly hint?: string | undefined
}

const editedWarning = ({ file, text }: SettingsText, { offset, message, hint }: Edited): Diagnostic =>
  diagnostic('warning', 'HOST_ENTRY_EDITED', message, {
    file,
    ...positionOf(text, offset),
    ...(hint === undefined ? {} : { hint }),
  })

import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Journal } from '../state/change.ts'
import type { ScopePaths } from '../state/scope-paths.ts'

/** What the steps of one operation share. */
export interface OperationContext {
  readonly context: Context
  readonly paths: ScopePaths
  /** Its name; see {@link newOperationName}. */
  readonly operation: string
  /** Permission bits by file, of files that the operation deletes; see the journal. */
  readonly modes: ReadonlyMap<string, number>
}

export const operationContextOf = (
  context: Context,
  paths: ScopePaths,
  { operation, modes = [] }: Journal,
): OperationContext => ({
  context,
  paths,
  operation,
  modes: new Map(modes.map(({ file, mode }) => [file, mode])),
})

export const stagingOf = ({ paths, operation }: OperationContext): string => join(paths.staging, operation)
export const trashOf = ({ paths, operation }: OperationContext): string => join(paths.trash, operation)

/** `<time in base 36>-<random>`: part of the names of the staging folder, the trash folder and all temporary files. */
export const newOperationName = (context: Context): string =>
  `${Math.max(0, Math.trunc(context.now())).toString(36)}-${randomBytes(6).toString('hex')}`

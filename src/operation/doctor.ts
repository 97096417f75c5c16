import { abbreviateFindings } from '../abbreviate.ts'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import { scopePathsOf, scopesOf } from '../state/config/resolve-paths.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { isLocked } from '../transaction/lock-folder.ts'
import { otherProjects } from '../transaction/relocation/other-projects.ts'
import type { Finding } from './check/check-installed.ts'
import { errorsAsFindings, finding } from './check/check-installed.ts'
import { checkScope } from './check/check-scope.ts'
import { fixScope } from './check/fix-scope.ts'
import type { SyncAnswer } from './sync-answer.ts'
import { sync } from './sync.ts'

export interface DoctorRequest {
  /** Null: every scope. */
  readonly scope: ScopeName | null
  readonly fix: boolean
  /** With `fix`: add what GSD Core installed to the ledger. */
  readonly adopt?: boolean
}

/** What is wrong, and whether it was fixed. */
export interface DoctorAnswer {
  readonly findings: readonly (Finding & { readonly fixed: boolean })[]
  /** Ids that were added to the ledger. */
  readonly adopted: readonly string[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Finds every state that no operation leaves behind, reports each with the one command that fixes it, and with
 * `fix` fixes what needs no decision. Only the program's own files are deleted (contract,
 * `capability doctor`).
 * @throws LOCK_*
 */
export const doctor = async (context: Context, { scope, fix, adopt = false }: DoctorRequest): Promise<DoctorAnswer> => {
  const scopes = scope === null ? scopesOf(context) : [scopePathsOf(context, scope)]
  const before = await checkAll(context, scopes)
  if (!fix)
    return { findings: abbreviateFindings(before).map((it) => ({ ...it, fixed: false })), adopted: [], warnings: [] }
  const warnings: Diagnostic[] = []
  const adopted: string[] = []
  for (const paths of scopes) {
    const done = await fixFindings(context, paths, { findings: before, adopt })
    warnings.push(...done.warnings)
    adopted.push(...done.adopted)
  }
  const after = await checkAll(context, scopes)
  const left = new Set(after.map(findingKey))
  const gone = before.filter((it) => !left.has(findingKey(it)))
  return {
    findings: [
      ...abbreviateFindings(gone).map((it) => ({ ...it, fixed: true })),
      ...abbreviateFindings(after).map((it) => ({ ...it, fixed: false })),
    ],
    adopted,
    warnings,
  }
}

const checkAll = async (context: Context, scopes: readonly ScopePaths[]): Promise<readonly Finding[]> => {
  const loaded = await loadRegistryFor(context)
  const found = scopes.flatMap((paths) => checkScope(context, paths, loaded))
  if (!scopes.includes(context.global)) return found
  return [...found, ...errorsAsFindings(context.global, () => interruptedProjects(context))]
}

/** The doctor grants nothing: what is not granted stays unwired. */
const SYNC_WITHOUT_QUESTIONS = {
  frozen: false,
  force: false,
  allowHttp: false,
  allowHidden: false,
  dryRun: false,
  consentPrompt: { disclose: () => undefined, confirm: null, assumeYes: false },
} as const

const findingKey = ({ code, message, scope }: Finding): string => JSON.stringify([code, message, scope])

/**
 * A failed fix is reported, and the others still run. Files are restored first: what must not
 * be wired because of missing files may be wired afterwards.
 */
const fixFindings = async (
  context: Context,
  paths: ScopePaths,
  { findings, adopt }: { readonly findings: readonly Finding[]; readonly adopt: boolean },
): Promise<Pick<DoctorAnswer, 'adopted' | 'warnings'>> => {
  const adopted: string[] = []
  const ofScope = findings.filter((it) => it.scope === paths.scope)
  const steps = [
    ...(ofScope.some(({ remedy }) => remedy === 'sync')
      ? [async () => restoreWarnings(await sync(context, { ...SYNC_WITHOUT_QUESTIONS, scope: paths.scope }))]
      : []),
    ...(adopt || ofScope.some(({ remedy }) => remedy === 'fix')
      ? [async () => (adopted.push(...(await fixScope(context, paths, { adopt }))), [])]
      : []),
  ]
  const warnings: Diagnostic[] = []
  for (const step of steps) {
    try {
      warnings.push(...(await step()))
    } catch (error) {
      if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
      const { code, message, hint } = error
      warnings.push(
        diagnostic('warning', code, message, { scope: paths.scope, ...(hint === undefined ? {} : { hint }) }),
      )
    }
  }
  return { adopted, warnings }
}

/** What a sync could not restore. */
const restoreWarnings = ({ failed }: SyncAnswer): Diagnostic[] =>
  failed.map(({ id, scope, error: { code, message, hint } }) =>
    diagnostic('warning', code, message, { id, scope, ...(hint === undefined ? {} : { hint }) }),
  )

/**
 * Operations that were interrupted in other projects and wait for a command there. If the folder was moved, a command in
 * its new place finds the operation.
 */
export const interruptedProjects = (context: Context): readonly Finding[] =>
  otherProjects(context).flatMap(({ root, exists, journal, paths }) => {
    if (journal === null || root === null || isLocked(context.disk, paths.lock, context.identity)) return []
    const where = exists ? quote(root) : `${quote(root)}, which no longer exists`
    const hint = exists
      ? `gsd capability doctor --fix --project ${shellQuote(root)}`
      : `if the project moved, run gsd capability doctor --fix there; if it was deleted, delete ${quote(paths.journal)} too`
    return [
      {
        ...finding(
          'hand',
          context.global,
          'STATE_INTERRUPTED',
          `an interrupted ${quote(journal.command)} is waiting in ${where}`,
          hint,
        ),
        file: paths.journal,
      },
    ]
  })

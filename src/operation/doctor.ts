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
import { sync } from './sync.ts'

export interface DoctorRequest {
  /** Null: every scope. */
  readonly scope: ScopeName | null
  readonly fix: boolean
}

/** What is wrong, and whether it was mended. */
export interface DoctorAnswer {
  readonly findings: readonly (Finding & { readonly fixed: boolean })[]
  readonly warnings: readonly Diagnostic[]
}

/**
 * Looks for every state that no operation leaves behind, names each in words with the one command that mends it, and with
 * `fix` mends what can be mended without a decision. Nothing that is not the program's own is deleted (contract,
 * `capability doctor`).
 * @throws LOCK_*
 */
export const doctor = async (context: Context, { scope, fix }: DoctorRequest): Promise<DoctorAnswer> => {
  const scopes = scope === null ? scopesOf(context) : [scopePathsOf(context, scope)]
  const before = await checkAll(context, scopes)
  if (!fix) return { findings: before.map((finding) => ({ ...finding, fixed: false })), warnings: [] }
  const warnings: Diagnostic[] = []
  for (const paths of scopes) warnings.push(...(await fixFindings(context, paths, before)))
  const after = await checkAll(context, scopes)
  const left = new Set(after.map(findingKey))
  const gone = before.filter((finding) => !left.has(findingKey(finding)))
  return {
    findings: [
      ...gone.map((finding) => ({ ...finding, fixed: true })),
      ...after.map((finding) => ({ ...finding, fixed: false })),
    ],
    warnings,
  }
}

const checkAll = async (context: Context, scopes: readonly ScopePaths[]): Promise<readonly Finding[]> => {
  const world = await loadRegistryFor(context)
  const found = scopes.flatMap((paths) => checkScope(context, paths, world))
  if (!scopes.includes(context.global)) return found
  return [...found, ...errorsAsFindings(context.global, () => interruptedProjects(context))]
}

const findingKey = ({ code, message, scope }: Finding): string => JSON.stringify([code, message, scope])

/**
 * What stands in the way of mending is said, and the rest is mended all the same. Files are put back first: what must not
 * stand in a host because of them may stand there afterwards.
 */
const fixFindings = async (
  context: Context,
  paths: ScopePaths,
  findings: readonly Finding[],
): Promise<Diagnostic[]> => {
  const own = findings.filter((finding) => finding.scope === paths.scope)
  const steps = [
    ...(own.some(({ remedy }) => remedy === 'sync')
      ? [() => sync(context, { scope: paths.scope, frozen: false, force: false, allowHttp: false, dryRun: false })]
      : []),
    ...(own.some(({ remedy }) => remedy === 'fix') ? [() => fixScope(context, paths)] : []),
  ]
  const warnings: Diagnostic[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
      const { code, message, hint } = error
      warnings.push(
        diagnostic('warning', code, message, { scope: paths.scope, ...(hint === undefined ? {} : { hint }) }),
      )
    }
  }
  return warnings
}

/**
 * Operations that were interrupted in other projects, and wait for a command there. One whose folder is gone is found again
 * where the folder was moved to.
 */
export const interruptedProjects = (context: Context): readonly Finding[] =>
  otherProjects(context).flatMap(({ root, exists, journal, paths }) => {
    if (journal === null || root === null || isLocked(context.disk, paths.lock, context.identity)) return []
    const where = exists ? quote(root) : `${quote(root)}, which is gone`
    const hint = exists
      ? `gsd capability doctor --fix --project ${shellQuote(root)}`
      : `where it was moved to, run gsd capability doctor --fix; if it was deleted, delete ${quote(paths.journal)} too`
    return [
      {
        ...finding(
          'hand',
          context.global,
          'STATE_INTERRUPTED',
          `an interrupted ${quote(journal.command)} waits in ${where}`,
          hint,
        ),
        file: paths.journal,
      },
    ]
  })

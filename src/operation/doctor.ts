import { scopesOf } from '../config/places.ts'
import type { Context } from '../context.ts'
import type { Diagnostic, ScopeName } from '../diagnostic.ts'
import { diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { loadWorld } from '../overlay/load-world.ts'
import type { ScopePlaces } from '../store/places.ts'
import { interruptedElsewhere } from './examine/elsewhere.ts'
import { examine } from './examine/examine.ts'
import type { Finding } from './examine/finding.ts'
import { fixScope } from './examine/fix.ts'
import { looked } from './examine/looked.ts'
import { placesOf } from './installed/scope-places.ts'
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
  const scopes = scope === null ? scopesOf(context) : [placesOf(context, scope)]
  const before = await examineAll(context, scopes)
  if (!fix) return { findings: before.map((finding) => ({ ...finding, fixed: false })), warnings: [] }
  const warnings: Diagnostic[] = []
  for (const places of scopes) warnings.push(...(await mend(context, places, before)))
  const after = await examineAll(context, scopes)
  const left = new Set(after.map(keyOf))
  const gone = before.filter((finding) => !left.has(keyOf(finding)))
  return {
    findings: [
      ...gone.map((finding) => ({ ...finding, fixed: true })),
      ...after.map((finding) => ({ ...finding, fixed: false })),
    ],
    warnings,
  }
}

const examineAll = async (context: Context, scopes: readonly ScopePlaces[]): Promise<readonly Finding[]> => {
  const world = await loadWorld(context)
  const found = scopes.flatMap((places) => examine(context, places, world))
  if (!scopes.includes(context.global)) return found
  return [...found, ...looked(context.global, () => interruptedElsewhere(context))]
}

const keyOf = ({ code, message, scope }: Finding): string => JSON.stringify([code, message, scope])

/**
 * What stands in the way of mending is said, and the rest is mended all the same. Files are put back first: what must not
 * stand in a host because of them may stand there afterwards.
 */
const mend = async (context: Context, places: ScopePlaces, findings: readonly Finding[]): Promise<Diagnostic[]> => {
  const own = findings.filter((finding) => finding.scope === places.scope)
  const steps = [
    ...(own.some(({ remedy }) => remedy === 'sync')
      ? [() => sync(context, { scope: places.scope, frozen: false, force: false, allowHttp: false, dryRun: false })]
      : []),
    ...(own.some(({ remedy }) => remedy === 'fix') ? [() => fixScope(context, places)] : []),
  ]
  const warnings: Diagnostic[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
      const { code, message, hint } = error
      warnings.push(
        diagnostic('warning', code, message, { scope: places.scope, ...(hint === undefined ? {} : { hint }) }),
      )
    }
  }
  return warnings
}

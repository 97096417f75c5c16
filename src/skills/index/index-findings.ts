import { diagnostic, type Diagnostic, type Severity } from '../../diagnostic.ts'
import { INDEX_FILE, SKILL_LIMITS } from '../limits.ts'
import type { EntryFault } from './entry-rules.ts'

/** What writes an index anew. */
export const REWRITE = 'gsd skills index'

/** What helps against an index that cannot be read: `skills index` does not replace it, since it alone holds some fields. */
export const REPLACE = `correct ${INDEX_FILE}, or move it away, then: ${REWRITE}`

/** Collects findings up to a bound, so that a hostile index cannot fill memory or a terminal. */
export class IndexFindings {
  readonly #file: string
  readonly #kept: Diagnostic[] = []
  #errors = 0
  #warnings = 0

  constructor(file: string) {
    this.#file = file
  }

  whole(severity: Severity, message: string, hint: string): void {
    this.#keep(diagnostic(severity, 'MANIFEST_SKILLS_INDEX', message, { file: this.#file, hint }))
  }

  entry(severity: Severity, at: number, { code, field, message, hint }: EntryFault, value: unknown): Diagnostic {
    const { id } = Object(value) as { id?: unknown }
    const path = `/${at}${field === null ? '' : `/${field}`}`
    const about = typeof id === 'string' ? { id: id.slice(0, 200) } : {}
    const finding = diagnostic(severity, code, message, { ...about, file: this.#file, path, hint })
    this.#keep(finding)
    return finding
  }

  list(): readonly Diagnostic[] {
    const more = this.#errors + this.#warnings
    if (more === 0) return this.#kept
    const message = `${more} more findings are not shown`
    const severity = this.#errors > 0 ? 'error' : 'warning'
    return [...this.#kept, diagnostic(severity, 'MANIFEST_SKILLS_INDEX', message, { file: this.#file, hint: REWRITE })]
  }

  #keep(finding: Diagnostic): void {
    if (this.#kept.length < SKILL_LIMITS.findings) this.#kept.push(finding)
    else if (finding.severity === 'error') this.#errors += 1
    else this.#warnings += 1
  }
}

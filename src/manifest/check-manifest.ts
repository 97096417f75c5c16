import type { Diagnostic } from '../diagnostic.ts'
import { applyRules } from './apply-rules.ts'
import { copyAsJson } from './copy-as-json.ts'
import { compareByPosition, faultDiagnostics, type FaultSource } from './fault-diagnostics.ts'
import { Findings } from './findings.ts'
import { ID, MAX_ID_LENGTH } from './grammar.ts'
import { inspectValues } from './inspect-values.ts'
import { isObject } from './json/object.ts'
import type { Manifest } from './manifest.ts'
import type { ManifestText } from './parse-manifest.ts'
import type { CheckOptions } from './relations/relation.ts'

export interface CheckedManifest {
  /** Null when there is an error. */
  readonly manifest: Manifest | null
  /** From reading and from all rules, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Checks a manifest by its own rules (1–42); each finding has file, line, column and pointer. Never throws. */
export const checkManifest = (text: ManifestText, options: CheckOptions = {}): CheckedManifest => {
  const findings = new Findings()
  if (text.value === undefined) return { manifest: null, diagnostics: text.diagnostics }
  applyRules(text.value, findings, options)
  if (text.diagnostics.length === 0 && findings.faults.length === 0) {
    return { manifest: text.value as Manifest, diagnostics: [] }
  }
  const own = faultDiagnostics(findings, { ...readableId(text.value), file: text.file, locate: text.locate })
  const diagnostics = [...text.diagnostics, ...own].sort(compareByPosition)
  const isValid = diagnostics.every(({ severity }) => severity !== 'error')
  return { manifest: isValid ? (text.value as Manifest) : null, diagnostics }
}

/**
 * The same for any value; findings have pointers only. Never throws, not even for a value whose getters do.
 */
export const validateCapability = (value: unknown, options: CheckOptions | null = {}): Diagnostic[] => {
  const findings = new Findings()
  const plain = copyAsJson(value, findings)
  inspectValues(plain, findings)
  applyRules(plain, findings, options ?? {})
  return faultDiagnostics(findings, readableId(plain))
}

const readableId = (value: unknown): Pick<FaultSource, 'id'> => {
  const id = isObject(value) ? value['id'] : undefined
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH && ID.test(id) ? { id } : {}
}

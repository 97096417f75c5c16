import type { Diagnostic } from '../diagnostic.ts'
import { faultDiagnostics } from './fault-diagnostics.ts'
import { Findings } from './findings.ts'
import { inspectValues, isPlainText } from './inspect-values.ts'
import { pathOf } from './json/pointer.ts'
import { readJson, readJsonText, type JsonText } from './json/read-json.ts'
import { MAX_MANIFEST_BYTES } from './manifest.ts'

/** A manifest file: its text, its value, and the position of each member. */
export interface ManifestText extends Pick<JsonText, 'text' | 'locate'> {
  /** As messages show it. */
  readonly file: string
  /** The parsed value; undefined when the text is not JSON. Containers below the deepest allowed level are null. */
  readonly value: unknown
  /** What reading alone found. `checkManifest` repeats it. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Bytes of a `capability.json` → text → value, with everything that is wrong on the way. Never throws. */
export const parseManifest = (bytes: Uint8Array, { file }: { readonly file: string }): ManifestText => {
  const findings = new Findings()
  const isTooLarge = bytes.byteLength > MAX_MANIFEST_BYTES
  if (isTooLarge) findings.reportAt([], 'MANIFEST_TOO_LARGE', undefined, { detail: `${bytes.byteLength} bytes` })
  const json = isTooLarge ? NO_TEXT : readJson(bytes)
  if (!isTooLarge) reportJson(json, findings)
  const { text, value, locate, positionAt } = json
  const diagnostics =
    findings.faults.length === 0 ? NO_DIAGNOSTICS : faultDiagnostics(findings, { file, locate, position: positionAt })
  return { file, text, value, diagnostics, locate }
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = []
const NO_TEXT = readJsonText('')

const reportJson = ({ text, hasBom, value, error, isTooDeep, duplicates }: JsonText, findings: Findings): void => {
  if (hasBom) findings.reportAt([], 'MANIFEST_BOM', undefined)
  if (error !== null) {
    const { kind, message, hint, offset } = error
    findings.reportAt([], kind === 'encoding' ? 'MANIFEST_ENCODING' : 'MANIFEST_SYNTAX', undefined, {
      detail: message,
      offset,
      ...(kind === 'empty' ? { hint: EMPTY_HINT } : hint === undefined ? {} : { hint }),
    })
    return
  }
  if (isTooDeep || !isPlainText(text)) inspectValues(value, findings)
  for (const { pointer, key, offset } of duplicates)
    findings.reportAt(pathOf(pointer), 'MANIFEST_DUPLICATE_KEY', key, { part: 'key', offset })
}

const EMPTY_HINT = 'start with { "id": …, or let "gsd capability init <id>" write it'

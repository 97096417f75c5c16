import type { Diagnostic } from '../diagnostic.ts'
import { faultDiagnostics } from './fault-diagnostics.ts'
import { Findings } from './findings.ts'
import { countKeys, MAX_DEPTH, inspectValues, isPlainText } from './inspect-values.ts'
import { decodeUtf8 } from './json/decode-utf8.ts'
import { lineIndex, type Position } from './json/line-index.ts'
import { pathOf } from './json/pointer.ts'
import { scanJson, type JsonScan } from './json/scan-json.ts'

/** Bytes of a manifest (page, "Reading"). */
export const MAX_MANIFEST_BYTES = 1024 * 1024

/** A manifest file as it was read: what it says, and where each part of it stands. */
export interface ManifestText {
  /** As it is shown in messages. */
  readonly file: string
  /** Without the byte order mark. */
  readonly text: string
  /** The parsed value; undefined when the text could not be parsed. What was nested too deep in it is null. */
  readonly value: unknown
  /** What reading alone found. `checkManifest` repeats it. */
  readonly diagnostics: readonly Diagnostic[]
  /** Where the member at a JSON pointer stands: its key or its value. The start of the text when there is no such member. */
  readonly locate: (pointer: string, part: 'key' | 'value') => Position
}

/** Bytes of a `capability.json` → text → value, with everything that is wrong on the way. Never throws. */
export const parseManifest = (bytes: Uint8Array, options: { readonly file: string }): ManifestText => {
  const findings = new Findings()
  if (bytes.byteLength > MAX_MANIFEST_BYTES) {
    findings.reportAt([], 'MANIFEST_TOO_LARGE', undefined, { detail: `${bytes.byteLength} bytes` })
    return manifestText(options.file, '', undefined, findings)
  }
  const { text, hasBom, error } = decodeUtf8(bytes)
  if (hasBom) findings.reportAt([], 'MANIFEST_BOM', undefined)
  if (error !== null)
    findings.reportAt([], 'MANIFEST_ENCODING', undefined, { detail: error.words, offset: text.length })
  const value = error === null ? parse(text, findings) : undefined
  return manifestText(options.file, text, value, findings)
}

const parse = (text: string, findings: Findings): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const { message, offset, hint } = scanJson(text, MAX_DEPTH).error ?? UNKNOWN_ERROR
    findings.reportAt([], 'MANIFEST_SYNTAX', undefined, { detail: message, offset, hint })
    return undefined
  }
  const counted = isPlainText(text) ? countKeys(value) : -1
  const keys = counted === -1 ? inspectValues(value, findings) : counted
  // As many `"…":` as keys proves that none is repeated; only else is it worth looking for them.
  if (keys !== countKeyEnds(text)) {
    for (const { pointer, key, offset } of scanJson(text, MAX_DEPTH).duplicates) {
      findings.reportAt(pathOf(pointer), 'MANIFEST_DUPLICATE_KEY', key, { part: 'key', offset })
    }
  }
  return value
}

/** How often a closing quote and a colon follow each other: once for each key, and in few strings. */
const countKeyEnds = (text: string): number => {
  let count = 0
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let before = colon - 1
    while (isSpace(text.charCodeAt(before))) before--
    if (text.charCodeAt(before) === QUOTE) count++
  }
  return count
}

const QUOTE = 0x22
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** The parser refuses what the scanner takes: not known to happen. */
const UNKNOWN_ERROR = {
  message: 'it cannot be parsed',
  offset: 0,
  hint: 'look for brackets and quotes that are not closed',
}

const manifestText = (file: string, text: string, value: unknown, findings: Findings): ManifestText => {
  let paths: PositionIndex | null = null
  const locate = (pointer: string, part: 'key' | 'value'): Position => {
    paths ??= { spots: scanJson(text, MAX_DEPTH).offsets, position: lineIndex(text) }
    const spot = paths.spots.get(pointer)
    return paths.position((part === 'key' ? spot?.key : null) ?? spot?.value ?? 0)
  }
  const diagnostics =
    findings.faults.length === 0
      ? NO_DIAGNOSTICS
      : faultDiagnostics(findings, { file, locate, position: lineIndex(text) })
  return { file, text, value, diagnostics, locate }
}

/** What is needed to place a fault; made when there is one. */
interface PositionIndex {
  readonly spots: JsonScan['offsets']
  readonly position: (offset: number) => Position
}

const NO_DIAGNOSTICS: readonly Diagnostic[] = []

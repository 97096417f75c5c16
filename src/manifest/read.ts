import type { Diagnostic } from '../diagnostic.ts'
import { decodeUtf8 } from './decode.ts'
import { faultDiagnostics } from './fault-text.ts'
import { Findings } from './findings.ts'
import { countKeys, DEEPEST, inspect, isPlainText } from './inspect.ts'
import { scanJson, type JsonScan } from './json-scan.ts'
import { lineIndex, type Position } from './line-index.ts'
import { pathOf } from './pointer.ts'

/** Bytes of a manifest (page, "Reading"). */
export const LARGEST_MANIFEST = 1024 * 1024

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
export const readManifest = (bytes: Uint8Array, options: { readonly file: string }): ManifestText => {
  const findings = new Findings()
  if (bytes.byteLength > LARGEST_MANIFEST) {
    findings.at([], 'MANIFEST_TOO_LARGE', undefined, { detail: `${bytes.byteLength} bytes` })
    return manifestText(options.file, '', undefined, findings)
  }
  const { text, mark, fault } = decodeUtf8(bytes)
  if (mark) findings.at([], 'MANIFEST_BOM', undefined)
  if (fault !== null) findings.at([], 'MANIFEST_ENCODING', undefined, { detail: fault.words, offset: text.length })
  const value = fault === null ? parse(text, findings) : undefined
  return manifestText(options.file, text, value, findings)
}

const parse = (text: string, findings: Findings): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const { words, offset, hint } = scanJson(text, DEEPEST).fault ?? UNKNOWN_FAULT
    findings.at([], 'MANIFEST_SYNTAX', undefined, { detail: words, offset, hint })
    return undefined
  }
  const counted = isPlainText(text) ? countKeys(value) : -1
  const keys = counted === -1 ? inspect(value, findings) : counted
  // As many `"…":` as keys proves that none is repeated; only else is it worth looking for them.
  if (keys !== keyEnds(text)) {
    for (const { pointer, key, offset } of scanJson(text, DEEPEST).duplicates) {
      findings.at(pathOf(pointer), 'MANIFEST_DUPLICATE_KEY', key, { part: 'key', offset })
    }
  }
  return value
}

/** How often a closing quote and a colon follow each other: once for each key, and in few strings. */
const keyEnds = (text: string): number => {
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
const UNKNOWN_FAULT = {
  words: 'it cannot be parsed',
  offset: 0,
  hint: 'look for brackets and quotes that are not closed',
}

const manifestText = (file: string, text: string, value: unknown, findings: Findings): ManifestText => {
  let places: Places | null = null
  const locate = (pointer: string, part: 'key' | 'value'): Position => {
    places ??= { spots: scanJson(text, DEEPEST).spots, position: lineIndex(text) }
    const spot = places.spots.get(pointer)
    return places.position((part === 'key' ? spot?.key : null) ?? spot?.value ?? 0)
  }
  const diagnostics =
    findings.faults.length === 0 ? NONE : faultDiagnostics(findings, { file, locate, position: lineIndex(text) })
  return { file, text, value, diagnostics, locate }
}

/** What is needed to place a fault; made when there is one. */
interface Places {
  readonly spots: JsonScan['spots']
  readonly position: (offset: number) => Position
}

const NONE: readonly Diagnostic[] = []

import { LIMITS } from './limits.ts'

/**
 * The script paths that the hooks of a manifest declare. Lenient: what cannot be read declares nothing; the rules for
 * manifests report it. (Contract, "Integrity and digest": declared hook scripts are executable.)
 */
export const declaredHookScripts = (manifest: Uint8Array): ReadonlySet<string> => {
  const scripts = new Set<string>()
  if (manifest.length > LIMITS.manifest) return scripts
  for (const hook of listHooks(parseLenient(manifest))) {
    if (isObject(hook) && typeof hook.script === 'string') scripts.add(hook.script)
  }
  return scripts
}

const listHooks = (value: unknown): readonly unknown[] =>
  isObject(value) && Array.isArray(value.hooks) ? value.hooks : []

const isObject = (value: unknown): value is { readonly hooks?: unknown; readonly script?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseLenient = (manifest: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(manifest))
  } catch {
    return null
  }
}

/** Keeps the bytes of a manifest that is read in pieces, up to one more than the limit, which shows that it is too long. */
export interface ManifestCapture {
  update(chunk: Uint8Array): void
  bytes(): Uint8Array
}

export const captureManifest = (): ManifestCapture => {
  const pieces: Uint8Array[] = []
  let kept = 0
  return {
    update(chunk) {
      if (kept > LIMITS.manifest) return
      const piece = Uint8Array.from(chunk.subarray(0, LIMITS.manifest + 1 - kept))
      pieces.push(piece)
      kept += piece.length
    },
    bytes: () => Buffer.concat(pieces),
  }
}

/** The characters between the quotes of a string value, as offsets into the text. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The values of top-level `integrity` members in a manifest's text, in its order. Usually none or one; a manifest with
 * two is invalid, and each counts. Empty if the text is not JSON. A leading BOM is allowed.
 */
export const findIntegrityValues = (text: string): readonly Span[] => {
  if (!mayContainIntegrity(text) || !isJson(text)) return []
  const spans: Span[] = []
  let depth = 0
  let key: string | null = null
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === ',') key = null
    else if (character === '"') {
      const end = endOfString(text, at)
      if (depth === 1 && key === 'integrity') spans.push({ start: at + 1, end })
      // An array at the root has no keys, so none of its strings is a value.
      if (depth === 1 && key === null) key = String(JSON.parse(text.slice(at, end + 1)))
      at = end
    }
  }
  return spans
}

/** Offset of the closing quote of the string that opens at `start`; the text is known to be JSON. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/**
 * The bytes of a manifest as they count in the digest: without the characters between the quotes of a top-level
 * `integrity` (contract, "Integrity and digest"). The very same bytes where there is none.
 */
export const stripIntegrity = (manifest: Uint8Array): Uint8Array => {
  const text = decode(manifest)
  const spans = text === null ? [] : findIntegrityValues(text)
  if (text === null || spans.length === 0) return manifest
  let kept = ''
  let at = 0
  for (const { start, end } of spans) {
    kept += text.slice(at, start)
    at = end
  }
  return Buffer.from(kept + text.slice(at))
}

/** Saves the scan of most manifests; a key may also be written with escapes. */
const mayContainIntegrity = (text: string): boolean => text.includes('"integrity"') || text.includes('\\u')

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''))
    return true
  } catch {
    return false
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const decode = (bytes: Uint8Array): string | null => {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/**
 * The text of a manifest with its top-level `integrity` set to `integrity`. Only the characters between the quotes of
 * that value change; a missing member is added after the last one in the same style. The text is a JSON object, with or
 * without BOM. Null for an `integrity` that is not a string, or two of them.
 */
export const setIntegrity = (text: string, integrity: string): string | null => {
  const spans = findIntegrityValues(text)
  const [span] = spans
  if (span !== undefined) {
    return spans.length === 1 ? text.slice(0, span.start) + integrity + text.slice(span.end) : null
  }
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.hasOwn(value, 'integrity'))
    return null
  return insertMember(text, `"integrity":${colonSpacing(text)}"${integrity}"`)
}

const insertMember = (text: string, member: string): string => {
  const close = text.lastIndexOf('}')
  const before = text.slice(0, close)
  const end = before.trimEnd().length
  const open = text.indexOf('{')
  if (end === open + 1) return `${text.slice(0, end)}${member}${text.slice(end)}`
  const gap = memberIndent(text.slice(open + 1)) ?? (/,[ \t]/.test(before) ? ' ' : '')
  return `${text.slice(0, end)},${gap}${member}${text.slice(end)}`
}

/** Line end and indentation of the first member, where members stand on lines of their own. */
const memberIndent = (members: string): string | null => /^\s*?(\r?\n[ \t]*)(?=\S)/.exec(members)?.[1] ?? null

/** The space this text has between a key and its value. */
const colonSpacing = (text: string): string => /":([ \t]*)/.exec(text)?.[1] ?? ' '

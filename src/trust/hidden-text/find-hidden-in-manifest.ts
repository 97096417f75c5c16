import { pointerTo } from '../../manifest/json/pointer.ts'
import { MANIFEST_FILE } from '../../manifest/manifest.ts'
import { parseManifest, type ManifestText } from '../../manifest/parse-manifest.ts'
import { findHiddenText } from './find-hidden-text.ts'
import type { HiddenFinding } from './hidden-finding.ts'

/**
 * Hidden characters that strings and keys of a manifest mean without holding them: JSON can spell each as an escape. Those
 * that stand there themselves are found in the text of the file.
 */
export const findHiddenInManifest = (bytes: Uint8Array): HiddenFinding[] => {
  const read = parseManifest(bytes, { file: MANIFEST_FILE })
  return read.text.includes('\\u') ? findInValue(read, read.value, '') : []
}

const findInValue = (read: ManifestText, value: unknown, pointer: string): HiddenFinding[] => {
  if (typeof value === 'string') return findInString(read, value, { pointer, part: 'value' })
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const at = pointerTo(pointer, key)
    return [...findInString(read, key, { pointer: at, part: 'key' }), ...findInValue(read, member, at)]
  })
}

const findInString = (
  { text, locate }: ManifestText,
  meant: string,
  { pointer, part }: { readonly pointer: string; readonly part: 'key' | 'value' },
): HiddenFinding[] =>
  findHiddenText(meant)
    .filter(({ codePoint }) => !text.includes(String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16))))
    .map(({ codePoint, what }) => ({
      file: MANIFEST_FILE,
      in: 'string',
      pointer,
      ...locate(pointer, part),
      codePoint,
      what,
    }))

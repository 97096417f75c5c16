import { pointerTo } from '../manifest/pointer.ts'
import { readManifest, type ManifestText } from '../manifest/read.ts'
import type { HiddenFinding } from './hidden-finding.ts'
import { hiddenText } from './hidden-text.ts'

const FILE = 'capability.json'

/**
 * Hidden characters that strings and keys of a manifest mean without holding them: JSON can spell each as an escape. Those
 * that stand there themselves are found in the text of the file.
 */
export const hiddenInManifest = (bytes: Uint8Array): HiddenFinding[] => {
  const read = readManifest(bytes, { file: FILE })
  return read.text.includes('\\u') ? inValue(read, read.value, '') : []
}

const inValue = (read: ManifestText, value: unknown, pointer: string): HiddenFinding[] => {
  if (typeof value === 'string') return inText(read, value, { pointer, part: 'value' })
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const at = pointerTo(pointer, key)
    return [...inText(read, key, { pointer: at, part: 'key' }), ...inValue(read, member, at)]
  })
}

const inText = (
  { text, locate }: ManifestText,
  meant: string,
  { pointer, part }: { readonly pointer: string; readonly part: 'key' | 'value' },
): HiddenFinding[] =>
  hiddenText(meant)
    .filter(({ codePoint }) => !text.includes(String.fromCodePoint(Number.parseInt(codePoint.slice(2), 16))))
    .map(({ codePoint, what }) => ({ file: FILE, in: 'string', pointer, ...locate(pointer, part), codePoint, what }))

import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** The frontmatter of a Markdown file, or why there is none. `reason` follows the file's name: `has no frontmatter`. */
export type Frontmatter =
  | {
      readonly kind: 'ok'
      readonly value: unknown
      /** A scalar as it stands in the file, by a dotted field: `1.10` for the number 1.1. */
      readonly written: (field: string) => string | undefined
    }
  | { readonly kind: 'none' | 'broken'; readonly reason: string }

/** Bytes between the two lines of dashes. */
const LONGEST = 64 * 1024
/** How often aliases may repeat what they stand for. */
const MOST_ALIASES = 100

/** Reads the frontmatter of a file: YAML by its core schema, with limits. Never throws, never reads more than it may. */
export const readFrontmatter = async (file: string): Promise<Frontmatter> => {
  const bytes = headOf(file)
  if (bytes === null) return { kind: 'broken', reason: 'cannot be read' }
  const text = blockIn(bytes)
  return typeof text === 'string' ? await parseFrontmatter(text) : text
}

/** What a block of frontmatter says. */
export const parseFrontmatter = async (text: string): Promise<Frontmatter> => {
  const { parseDocument, isAlias, isMap, isScalar } = await import('yaml')
  try {
    const document = parseDocument(text, { schema: 'core', version: '1.2', uniqueKeys: true, logLevel: 'silent' })
    const [error] = document.errors
    if (error !== undefined) return broken(error.message)
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: MOST_ALIASES })
    if (!(value instanceof Map)) return { kind: 'broken', reason: 'has frontmatter without fields' }
    const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node)
    const written = (field: string): string | undefined => {
      let node: unknown = document.contents
      for (const part of field.split('.')) {
        if (!isMap(node)) return undefined
        node = resolved(node.items.find(({ key }) => isScalar(key) && String(key.value) === part)?.value)
      }
      return isScalar(node) ? node.source : undefined
    }
    return { kind: 'ok', value, written }
  } catch (error) {
    return broken(error instanceof Error ? error.message : String(error))
  }
}

/** The value of a dotted field, by the own members of objects; undefined where there is none. */
export const fieldOf = (value: unknown, field: string): unknown => {
  let at: unknown = value
  for (const part of field.split('.')) {
    if (!(at instanceof Map)) return undefined
    const entry: readonly [unknown, unknown] | undefined = [...at].find(([key]) => String(key) === part)
    at = entry?.[1]
  }
  return at
}

const broken = (message: string): Frontmatter => ({
  kind: 'broken',
  reason: `has broken frontmatter: ${message.split('\n', 1)[0] ?? ''}`,
})

const headOf = (file: string): Buffer | null => {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      if (!fstatSync(fd).isFile()) return null
      const bytes = Buffer.alloc(LONGEST + 64)
      let length = 0
      for (let read = -1; read !== 0 && length < bytes.length; length += read)
        read = readSync(fd, bytes, length, bytes.length - length, null)
      return bytes.subarray(0, length)
    } finally {
      closeSync(fd)
    }
  } catch {
    return null
  }
}

const OPENING = /^(?:\u00ef\u00bb\u00bf)?---[ \t]*\r?\n/
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/m

/** The text between the lines of dashes. Lines are found in the bytes, since the head may end within a character. */
const blockIn = (bytes: Buffer): string | Frontmatter => {
  const latin = bytes.toString('latin1')
  const opening = OPENING.exec(latin)
  if (opening === null) return { kind: 'none', reason: 'has no frontmatter' }
  const start = opening[0].length
  const end = CLOSING.exec(latin.slice(start))?.index
  if (end === undefined)
    return latin.length - start > LONGEST
      ? { kind: 'broken', reason: `has frontmatter of more than ${LONGEST / 1024} KiB` }
      : { kind: 'broken', reason: 'has frontmatter that does not end' }
  if (end > LONGEST) return { kind: 'broken', reason: `has frontmatter of more than ${LONGEST / 1024} KiB` }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(start, start + end))
  } catch {
    return { kind: 'broken', reason: 'has frontmatter that is not UTF-8 text' }
  }
}

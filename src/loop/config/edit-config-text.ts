import type { Node } from 'jsonc-parser'
import { GsdError } from '../../errors.ts'
import { appendItem } from '../../host/splice/append-item.ts'
import { isBlank, type JsonDocument, parseDocument } from '../../host/splice/json-document.ts'
import { DEFAULT_STYLE, detectStyle, lineIndent, writeJson, writeMember } from '../../host/splice/json-style.ts'
import { removeItem } from '../../host/splice/remove-item.ts'
import { applyPatches, positionOf, replaceRange } from '../../host/splice/text-patch.ts'
import { quote } from '../../redact.ts'
import type { TextPatch } from '../../state/host-edit.ts'
import type { Json } from '../../state/json-text.ts'

/** A key in a configuration text. `prefix`: keys on the way to the object that holds the values. */
export interface KeyInText {
  readonly file: string
  readonly prefix: readonly string[]
  readonly key: string
}

/**
 * The text with a key set to a value; every other byte stays. A key that is there, in either form, keeps its place; a new
 * one is added member by member, behind the last member of the deepest object that is there.
 * @throws GsdError STATE_CONFIG_INVALID where something that is no object stands in the way
 */
export const setKey = (text: string, at: KeyInText, value: Json): string => {
  const document = documentOf(text, at.file)
  const found = findKey(document, at)
  return found === undefined ? addKey(document, at, value) : replaceValue(document, found, value)
}

/** The text without a key, in whichever form and however often it is there. Comments stay. */
export const unsetKey = (text: string, at: KeyInText): string => {
  for (let now = text; ;) {
    const document = documentOf(now, at.file)
    const found = findKey(document, at)
    const parent = found?.parent
    if (found === undefined || parent?.children === undefined) return now
    now = apply(document, removeItem(document, parent, parent.children.indexOf(found), detectStyle(document)))
  }
}

const documentOf = (text: string, file: string): JsonDocument =>
  parseDocument(isBlank(text) ? `${text.startsWith('\ufeff') ? '\ufeff' : ''}{}${DEFAULT_STYLE.eol}` : text, file)

/** The member that counts: member by member, else as one dotted member. */
const findKey = (document: JsonDocument, { prefix, key }: KeyInText): Node | undefined =>
  findMember(document.root, [...prefix, ...key.split('.')]) ?? findMember(document.root, [...prefix, key])

const findMember = (root: Node | null, path: readonly string[]): Node | undefined => {
  let member: Node | undefined
  let object: Node | null | undefined = root
  for (const name of path) {
    member = lastMember(object, name)
    object = member?.children?.[1]
    if (member === undefined) return undefined
  }
  return member
}

/** Of a key that is repeated, the last one counts. */
const lastMember = (object: Node | null | undefined, name: string): Node | undefined =>
  object?.type === 'object' ? object.children?.findLast((member) => member.children?.[0]?.value === name) : undefined

const replaceValue = (document: JsonDocument, member: Node, value: Json): string => {
  const old = member.children?.[1]
  if (old === undefined) return document.text
  const spread = /[\r\n]/.test(document.text.slice(old.offset, old.offset + old.length))
  const indent = lineIndent(document.text, member.offset)
  const written = writeJson(value, detectStyle(document), { spread, indent })
  return apply(document, [replaceRange(document.text, old.offset, old.offset + old.length, written)])
}

const addKey = (document: JsonDocument, { file, prefix, key }: KeyInText, value: Json): string => {
  const path = [...prefix, ...key.split('.')]
  let object = document.root
  let depth = 0
  for (; depth < path.length - 1; depth++) {
    const next: Node | undefined = lastMember(object, path[depth] ?? '')?.children?.[1]
    if (next === undefined) break
    if (next.type !== 'object') throw inTheWay(document, file, path.slice(0, depth + 1), next)
    object = next
  }
  if (object === null) return document.text
  const [name = '', ...rest] = path.slice(depth)
  const nested = rest.reduceRight<Json>((inner, part) => ({ [part]: inner }), value)
  const style = detectStyle(document)
  return apply(
    document,
    appendItem(document, object, style, (layout) => writeMember(name, nested, style, layout)),
  )
}

const inTheWay = ({ text }: JsonDocument, file: string, path: readonly string[], node: Node): GsdError => {
  const { line, column } = positionOf(text, node.offset)
  return new GsdError(
    'STATE_CONFIG_INVALID',
    `${quote(path.join('.'))} in ${quote(file)} is not an object, so nothing can be set below it`,
    { hint: `correct line ${line} of ${file}`, details: { file, line, column } },
  )
}

const apply = ({ text, file }: JsonDocument, patches: readonly TextPatch[]): string => {
  const edited = applyPatches(text, patches)
  if (edited !== null) return edited
  throw new GsdError('INTERNAL_ERROR', `the edit of ${quote(file)} could not be applied; nothing was written`)
}

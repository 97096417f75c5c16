import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { formatRef, parseRef } from './git-ref.ts'
import { readInnerPath } from './inner-path.ts'
import type { GitSpec } from './spec.ts'

/** What stands behind the `#` of a git spec. */
export type GitFragment = Pick<GitSpec, 'ref' | 'path'>

const AND_PATH = '&path:'
const ONLY_PATH = 'path:'

/** The text before the first `#` and the one behind it; null when there is none. */
export const splitFragment = (text: string): readonly [string, string | null] => {
  const at = text.indexOf('#')
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)]
}

/** `<ref>`, `<ref>&path:<folder>` (split at the last one) or `path:<folder>`. */
export const parseFragment = (fragment: string | null): GitFragment => {
  if (fragment === null) return { ref: null, path: null }
  if (fragment === '')
    throw new GsdError('SPEC_MALFORMED', 'nothing stands behind the "#"', {
      hint: 'name a tag, branch or commit behind it, or leave it out',
    })
  const at = fragment.lastIndexOf(AND_PATH)
  if (at !== -1)
    return { ref: parseRef(fragment.slice(0, at)), path: readInnerPath(fragment.slice(at + AND_PATH.length)) }
  if (fragment.startsWith(ONLY_PATH)) return { ref: null, path: readInnerPath(fragment.slice(ONLY_PATH.length)) }
  if (fragment.includes('&')) checkSecondPart(fragment)
  return { ref: parseRef(fragment), path: null }
}

/** With its `#`; empty when there is neither ref nor path. */
export const formatFragment = ({ ref, path }: GitFragment): string => {
  if (ref === null) return path === null ? '' : `#${ONLY_PATH}${path}`
  return `#${formatRef(ref)}${path === null ? '' : `${AND_PATH}${path}`}`
}

/** `&` is legal in a branch's name, so only what was meant as a second part is refused. */
const checkSecondPart = (fragment: string): void => {
  const second = /&([A-Za-z]+):/.exec(fragment)
  if (second === null) return
  throw new GsdError('SPEC_MALFORMED', `${quote(second[0])} in ${quote(fragment)} is unknown`, {
    hint: 'a subfolder is written &path:<folder>',
  })
}

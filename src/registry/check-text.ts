import type { GateCheck, Predicate } from '../manifest/manifest.ts'
import { cleanText, truncate } from '../redact.ts'

/** What a gate checks, in one line: `query ui.safety-gate`, `file UI-SPEC.md exists`. */
export const checkText = (check: GateCheck): string => {
  if ('query' in check) return `query ${shown(check.query)}`
  if ('predicate' in check) return predicateText(check.predicate)
  return `agent verdict${refText(check.agentVerdict['ref'])}`
}

const predicateText = (predicate: Predicate): string => {
  switch (predicate.kind) {
    case 'artifact-exists':
      return `file ${shown(predicate.artifact)} exists`
    case 'config-equals':
      return `config ${shown(predicate.key)} is ${shown(json(predicate.equals))}`
    case 'artifact-frontmatter-equals':
      return `${shown(predicate.field)} of ${shown(predicate.artifact)} is ${shown(json(predicate.equals))}`
    case 'command-exit-zero':
      return `command ${shown(predicate.command)} succeeds`
  }
}

const refText = (ref: unknown): string => {
  if (typeof ref === 'string') return ` of ${shown(ref)}`
  if (typeof ref !== 'object' || ref === null) return ''
  const named = Object.entries(ref).find(([, name]) => typeof name === 'string')
  return named === undefined ? '' : ` of ${shown(`${named[0]} ${String(named[1])}`)}`
}

const json = (value: unknown): string => JSON.stringify(value) ?? 'undefined'

const LONGEST = 200

const shown = (text: string): string => truncate(cleanText(text).replaceAll(/\s+/g, ' '), LONGEST)

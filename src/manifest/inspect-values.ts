import type { Findings } from './findings.ts'
import { isForbiddenKey } from './json/object.ts'
import { MAX_DEPTH } from './json/read-json.ts'

/**
 * Walks a whole manifest for the rules that hold everywhere in it: depth, forbidden keys, control characters (rule 4).
 * A container that is nested too deep is reported and replaced by null, so that later walks end there.
 */
export const inspectValues = (value: unknown, findings: Findings): void => {
  if (typeof value === 'string') inspectText(value, false, findings)
  else if (typeof value === 'object' && value !== null) inspectContainer(value, false, findings)
}

/** Whether `inspectValues` can only find depth in a text: no escapes, no control characters, no forbidden keys. */
export const isPlainText = (text: string): boolean =>
  !SUSPECT_IN_SOURCE.test(text) &&
  !text.includes('__proto__') &&
  !text.includes('constructor') &&
  !text.includes('prototype')

/** `long`: line breaks and tabs are allowed from here on. */
const inspectContainer = (container: object, long: boolean, findings: Findings): void => {
  const list = Array.isArray(container)
  const members = container as Record<string, unknown>
  for (const key of Object.keys(members)) {
    const value = members[key]
    const longHere = long || (!list && (typeof value === 'string' ? MULTILINE_MEMBERS : FREE_FORM_MEMBERS).has(key))
    if (!list && isForbiddenKey(key)) findings.reportKey('MANIFEST_FORBIDDEN_KEY', key)
    findings.enter(list ? Number(key) : key)
    if (!list) inspectText(key, false, findings, 'key')
    if (typeof value === 'string') inspectText(value, longHere, findings)
    else if (typeof value === 'object' && value !== null) {
      if (findings.depth < MAX_DEPTH) inspectContainer(value, longHere, findings)
      else {
        findings.reportValue('MANIFEST_TOO_DEEP', null)
        members[key] = null
      }
    }
    findings.leave()
  }
}

const inspectText = (text: string, long: boolean, findings: Findings, part: 'key' | 'value' = 'value'): void => {
  if (!SUSPECT.test(text)) return
  const control = (long ? CONTROL_IN_LONG_TEXT : CONTROL).exec(text)?.[0]
  if (control !== undefined)
    findings.reportValue('MANIFEST_CONTROL_CHARACTER', text, { part, detail: codePointName(control) })
  const half = LONE_SURROGATE.exec(text)?.[0]
  if (half !== undefined) findings.reportValue('MANIFEST_BROKEN_CHARACTER', text, { part, detail: codePointName(half) })
}

const SUSPECT_IN_SOURCE = /[\\\u007f-\u009f]/
const SUSPECT = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
const CONTROL_IN_LONG_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/** Texts that may contain line breaks and tabs: descriptions and inline fragments. */
const MULTILINE_MEMBERS: ReadonlySet<string> = new Set(['description', 'inline'])
/** Members in which every text may contain them (rule 34). */
const FREE_FORM_MEMBERS: ReadonlySet<string> = new Set(['hostBehaviors', 'hostIntegration'])

const codePointName = (char: string): string => `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

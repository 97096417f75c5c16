import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPage, ROOT } from './doc-page.ts'
import type { StepResult } from './doc-run.ts'

/** Whether the output equals what the page shows; a page without output matches any. */
export const isShown = ({ step, output }: StepResult): boolean => {
  if (step.output === null) return true
  return step.json ? isShownJson(step.output, output ?? '') : isShownText(step.output, output ?? '')
}

/** `…` matches any text within a line, alone on a line any lines. */
export const isShownText = (shown: string, printed: string): boolean => {
  const pattern = linesOf(shown).map((line) => (line.trim() === '…' ? '(?:.*\\n)*?.*' : patternOf(line)))
  return new RegExp(`^${pattern.join('\\n')}$`).test(linesOf(printed).join('\n'))
}

/** By value, in any order of members; `…` within a string matches any text. */
export const isShownJson = (shown: string, printed: string): boolean => {
  try {
    return isSame(JSON.parse(shown), JSON.parse(printed))
  } catch {
    return false
  }
}

const isSame = (shown: unknown, printed: unknown): boolean => {
  if (typeof shown === 'string' && typeof printed === 'string')
    return new RegExp(`^${patternOf(shown)}$`, 's').test(printed)
  if (typeof shown !== 'object' || shown === null || typeof printed !== 'object' || printed === null)
    return shown === printed
  const keys = Object.keys(shown).toSorted()
  return (
    Array.isArray(shown) === Array.isArray(printed) &&
    keys.join('\0') === Object.keys(printed).toSorted().join('\0') &&
    keys.every((key) => isSame(Reflect.get(shown, key), Reflect.get(printed, key)))
  )
}

const linesOf = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())

const patternOf = (text: string): string =>
  text
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*')

/** Replaces output in the page that differs from what its commands print. */
export const fillPage = (page: string, done: readonly StepResult[]): void => {
  const lines = readPage(page).split('\n')
  for (const { step, output } of done.filter((each) => !isShown(each)).toReversed()) {
    if (step.output === null || output === null) continue
    const text = asPageText({ step, output })
    lines.splice(step.outputLine - 1, step.output.split('\n').length - 1, ...(text === '' ? [] : linesOf(text)))
  }
  writeFileSync(join(ROOT, page), lines.join('\n'))
}

/** The output of a command, as a page would show it. */
export const asPageText = ({ step, output }: Pick<StepResult, 'output' | 'step'>): string =>
  output === null || output.trim() === '' ? '' : shortened(step.json ? indented(output) : output)

const indented = (json: string): string => {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

/** Shortens hashes to a unique prefix, and removes times and the commits that contain them. */
const shortened = (text: string): string =>
  text
    .replaceAll(/sha512-([A-Za-z0-9+/]{8})[A-Za-z0-9+/]{78}==/g, 'sha512-$1…')
    .replaceAll(/\b([0-9a-f]{8})[0-9a-f]{120}\b/g, '$1…')
    .replaceAll(/\b[0-9a-f]{40}\b/g, '…')
    .replaceAll(/\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?\b/g, '…')

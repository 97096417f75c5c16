import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** One way to break a valid manifest, and what is to be said of it. */
export interface FaultCase {
  readonly title: string
  /** File under `fixtures/manifests/valid/`, without `.json`. */
  readonly base: string
  /** JSON pointer → text that stands there instead (raw, so that it may be anything), or null to take the member out. */
  readonly change: Readonly<Record<string, string | null>>
  readonly faults: readonly ExpectedFault[]
  /** The JSON Schema cannot see this fault. */
  readonly unseen?: true
}

export type ExpectedFault = readonly [code: string, pointer: string, line: number, column: number]

const MANIFESTS = join(import.meta.dirname, '../fixtures/manifests')

export const readFaultCases = (): readonly FaultCase[] =>
  JSON.parse(readFileSync(join(MANIFESTS, 'faults.json'), 'utf8')) as FaultCase[]

export const readValid = (name: string): string => readFileSync(join(MANIFESTS, 'valid', `${name}.json`), 'utf8')

/** The broken manifest: two-space JSON, with the changed places exactly as the case has them. */
export const brokenText = ({ base, change }: FaultCase): string => {
  const raw: string[] = []
  let root: unknown = JSON.parse(readValid(base))
  for (const [pointer, text] of Object.entries(change)) {
    const stand = text === null ? undefined : `@@${raw.push(text) - 1}@@`
    if (pointer === '') root = stand
    else setAt(root, pointer.slice(1).split('/').map(unescaped), stand)
  }
  return JSON.stringify(root, null, 2).replaceAll(/"@@(\d+)@@"/g, (_, index) => raw[Number(index)] ?? '')
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

const setAt = (root: unknown, path: readonly string[], stand: string | undefined): void => {
  let parent = root as Record<string, unknown>
  for (const step of path.slice(0, -1)) parent = parent[step] as Record<string, unknown>
  const last = path.at(-1) ?? ''
  if (stand === undefined) delete parent[last]
  else parent[last] = stand
}

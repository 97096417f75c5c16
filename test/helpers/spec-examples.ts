import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Code } from '../../src/codes.ts'
import type { Spec } from '../../src/spec/spec.ts'

/** Specs as people write them, with their meaning. Read from disk: no bundler accepts half a surrogate pair in JSON. */
export const examples = JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/specs.json'), 'utf8')) as {
  readonly cwd: string
  readonly home: string
  readonly parsed: readonly { readonly text: string; readonly spec: Spec }[]
  readonly refused: readonly { readonly text: string; readonly code: Code; readonly hint: string }[]
}

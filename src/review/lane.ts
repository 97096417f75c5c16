import type { Reviewer } from '../manifest/manifest.ts'
import type { Origin } from '../registry/registry.ts'

/** How a lane starts its program, in the form of rule 37. */
export interface SpawnCall {
  readonly transport: 'spawn'
  readonly binary: string
  readonly args: readonly string[]
  readonly promptChannel: 'stdin' | 'argv' | 'argv-file-ref' | 'none'
  readonly outputChannel: 'stdout' | 'file-arg'
  readonly outputArg: string | null
  readonly modelArg: string | null
  readonly effortChannel: 'none' | 'argv' | 'env'
  readonly env: Readonly<Record<string, string>>
}

/** How a lane calls its server, in the form of rule 37. */
export interface HttpCall {
  readonly transport: 'openai-http'
  /** Base url; null: none is configured. */
  readonly host: string | null
  readonly path: string
  readonly discoversModel: boolean
  readonly fallbackModel: string | null
}

/** How a lane is found to be available, in the form of rule 39. */
export type Probe =
  | { readonly kind: 'command-exists'; readonly binary: string }
  | {
      readonly kind: 'command-capability'
      readonly binary: string
      readonly needle: string
      readonly timeoutMs: number
    }
  | { readonly kind: 'http-reachable'; readonly host: string | null; readonly path: string; readonly timeoutMs: number }

/** A lane with the values of one configuration. */
export interface Lane {
  /** The slug, or the name of an instance in `review.reviewer_instances`. Unique. */
  readonly name: string
  readonly slug: string
  /** Whether it is an instance of a lane. */
  readonly instance: boolean
  readonly flags: readonly string[]
  /** Heading of its section, without the word "Review". */
  readonly section: string
  readonly evidence: Reviewer['evidenceClass']
  readonly handler: string | null
  readonly owner: string
  readonly scope: Origin
  readonly call: SpawnCall | HttpCall
  readonly probe: Probe
  readonly requiresBinaries: readonly string[]
  /** Null: the program's own choice. */
  readonly model: string | null
  readonly effort: string | null
  /** Agent of the program that an instance names. */
  readonly agent: string | null
  readonly timeoutMs: number
  /** Most tokens of the prompt; null: no limit. */
  readonly budget: number | null
  /** Why it cannot run, whatever a probe says; null: nothing is known against it. */
  readonly refused: string | null
}

/** The heading of the section of a lane in the document. */
export const sectionHeading = ({ section, instance, name }: Pick<Lane, 'section' | 'instance' | 'name'>): string =>
  instance ? `${section} Review (${name})` : `${section} Review`

import type { Spec } from './spec.ts'

/** What a spec's text is read against. */
export interface SpecContext {
  /** Absolute folder that relative paths start from. */
  readonly cwd: string
  /** Absolute folder that `~/` stands for. */
  readonly home: string
  /** Lets `http` urls of this machine pass (`--allow-http`); those of any other host never do. */
  readonly allowHttp?: boolean
}

/** One way to write a spec: null when the text is not of this form, a throw when it is and is wrong. */
export type Form = (text: string, context: SpecContext) => Spec | null

/** A url as typed, taken apart at the first `#`. */
export interface TypedUrl {
  /** The whole spec, for messages. */
  readonly text: string
  readonly url: string
  readonly fragment: string | null
}

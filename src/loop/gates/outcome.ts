/** What a check came to. `message` is a sentence for a person. */
export interface Outcome {
  readonly verdict: 'pass' | 'block' | 'error' | 'advisory' | 'deferred'
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

type Details = Readonly<Record<string, unknown>>

export const pass = (message: string, details: Details = {}): Outcome => ({ verdict: 'pass', message, details })
export const block = (message: string, details: Details = {}): Outcome => ({ verdict: 'block', message, details })
export const failed = (message: string, details: Details = {}): Outcome => ({ verdict: 'error', message, details })

/** What a message can speak of. */
export interface MessageContext {
  /** The place as a person writes it: `hooks[0].script`. */
  readonly subject: string
  /** The object that holds it: `hooks[0]`. */
  readonly parent: string
  /** The offending value or key, quoted. */
  readonly found: string
  /** What else the rule has to say; empty when nothing. */
  readonly detail: string
}

/** One rule, or one branch of a rule, as data: its number, what it demands, and how it speaks. */
export interface Rule {
  /** Number of the rule; 0 for reading. */
  readonly rule: number
  /** Findings are warnings. Without it they are errors. */
  readonly isWarning?: true
  /** Noun phrase that completes "… must be"; also the description in the JSON Schema. */
  readonly requirement: string
  /** JSON that would pass; the usual remedy. */
  readonly example?: string
  /** The message, where "… must be …, not …" does not say it. */
  readonly message?: (said: MessageContext) => string
  /** The remedy, where an example does not show it. */
  readonly hint?: string | ((said: MessageContext) => string)
}

export type RuleTable = Readonly<Record<string, Rule>>

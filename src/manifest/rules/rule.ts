/** The parts of a message. */
export interface MessageContext {
  /** The path in JavaScript notation: `hooks[0].script`. */
  readonly subject: string
  /** The path of its parent: `hooks[0]`. */
  readonly parent: string
  /** The offending value or key, quoted. */
  readonly found: string
  /** More about this case; empty when there is nothing more. */
  readonly detail: string
}

/** A rule, or one branch of a rule: its number, what it requires, its message and its hint. */
export interface Rule {
  /** Its number; 0 for reading. */
  readonly rule: number
  /** Findings are warnings, not errors. */
  readonly isWarning?: true
  /** A phrase that completes "… must be"; also the description in the JSON Schema. */
  readonly requirement: string
  /** Valid JSON, for the usual hint. */
  readonly example?: string
  /** Replaces the message "… must be …, not …". */
  readonly message?: (values: MessageContext) => string
  /** Replaces the hint "write for example …". */
  readonly hint?: string | ((values: MessageContext) => string)
}

export type RuleTable = Readonly<Record<string, Rule>>

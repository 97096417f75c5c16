/** A gate that a capability declares which takes no part, so that nothing checks it. */
export interface LostGate {
  readonly capability: string
  /** What it checks, in one line. */
  readonly gate: string
  /** Code of the finding that keeps the capability out. */
  readonly code: string
  readonly reason: string
  /** What makes it count again. */
  readonly hint: string
}

import type { OriginalFormatting } from '../state/change.ts'

/** One step of an operation. */
export interface Step {
  /** What the journal stores beside the change, so that undo restores the exact bytes and modes. */
  readonly preflight: () => StepPreflight
  /**
   * Writes everything to temporary files and makes all checks, so that a full disk or a refusal is found before the first
   * change. Throws STATE_*, HOST_*.
   */
  readonly prepare: () => PreparedStep
  /** Undoes the step as far as it was done, as the disk shows. Idempotent. */
  readonly undo: () => void
  /** Whether the disk shows the result of the step. */
  readonly isDone: () => boolean
  /** Removes temporary files that a stopped process left. */
  readonly removeTemporaries: () => void
}

export interface StepPreflight {
  readonly formatting: readonly OriginalFormatting[]
  /** Of files that the step will delete. */
  readonly modes: readonly { readonly file: string; readonly mode: number }[]
}

export interface PreparedStep {
  /** Files and folders to sync before the first commit. */
  readonly sync: readonly string[]
  readonly commit: () => void
  /** Folders to sync before the last step is committed. */
  readonly folders: readonly string[]
  readonly discard: () => void
}

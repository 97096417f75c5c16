import type { OriginalFormatting } from '../state/change.ts'

/** One step of an operation in the form in which it is carried out. */
export interface Step {
  /** What the journal has to know beside the change itself, so that undoing gives the very bytes and modes back. */
  readonly preflight: () => StepPreflight
  /**
   * Does everything that needs space or may be refused, beside what is there, so that a full disk is met before the first
   * change. Throws STATE_*, HOST_*.
   */
  readonly prepare: () => PreparedStep
  /** Takes the step back as far as it was done, judged by what the disk holds now. Doing it twice does nothing more. */
  readonly undo: () => void
  /** Whether the disk holds what the step was to bring. */
  readonly isDone: () => boolean
  /** Takes away temporaries that a stopped process left. */
  readonly removeTemporaries: () => void
}

export interface StepPreflight {
  readonly spellings: readonly OriginalFormatting[]
  /** Of files that the step will delete. */
  readonly modes: readonly { readonly file: string; readonly mode: number }[]
}

export interface PreparedStep {
  /** Files and folders to be on disk before anything changes. */
  readonly sync: readonly string[]
  readonly commit: () => void
  /** Folders to be on disk before the last step. */
  readonly folders: readonly string[]
  readonly discard: () => void
}

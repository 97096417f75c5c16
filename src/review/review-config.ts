/** A configuration value and who set it. */
export interface ReviewValue {
  readonly value: unknown
  readonly origin: 'call' | 'project' | 'user' | 'default'
}

/** The configuration that lanes are resolved with. */
export interface ReviewConfig {
  /** Undefined for a key that nobody declares. */
  lookup(key: string): ReviewValue | undefined
  /** The same without the project's file. */
  lookupOutsideProject(key: string): ReviewValue | undefined
  /** Names below `review.reviewer_instances`. */
  readonly instances: readonly string[]
}

/** A text that says something: blank texts, "null" and everything else count as unset. */
export const textValue = (config: ReviewConfig, key: string | null | undefined): string | null => {
  const value = key == null ? undefined : config.lookup(key)?.value
  if (typeof value !== 'string') return null
  const text = value.trim()
  return text === '' || text === 'null' ? null : text
}

/** A number above zero, or null. */
export const positiveValue = (config: ReviewConfig, key: string | null | undefined): number | null => {
  const value = key == null ? undefined : config.lookup(key)?.value
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null
}

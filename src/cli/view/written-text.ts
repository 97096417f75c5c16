import type { ConfigWritten } from '../../loop/config/write-config.ts'

const WORDS = {
  set: { done: 'wrote', planned: 'would write', place: 'in', unchanged: 'has this value already' },
  unset: { done: 'removed', planned: 'would remove', place: 'from', unchanged: 'does not set this key' },
} as const

/** What a write of configuration keys did, or would do. */
export const writtenText = (
  { file, changed }: ConfigWritten,
  { action, dryRun }: { readonly action: keyof typeof WORDS; readonly dryRun: boolean },
): string => {
  const { done, planned, place, unchanged } = WORDS[action]
  if (changed.length === 0) return `nothing to do: ${file} ${unchanged}`
  return `${dryRun ? planned : done} ${changed.join(', ')} ${place} ${file}`
}

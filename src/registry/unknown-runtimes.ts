import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import type { Member } from './member.ts'

/**
 * Names in `runtimeCompat` that no runtime has (rule 47), as one warning for each capability: newer runtimes may have them.
 * Nothing is reported when no runtime is known at all.
 *
 * @param more host runtimes that exist besides those in the set
 */
export const findUnknownRuntimes = (accepted: readonly Member[], more: readonly string[]): Diagnostic[] => {
  const known = new Set(more)
  for (const { id, candidate } of accepted) if (candidate.manifest.role === 'runtime') known.add(id)
  return known.size === 0 ? [] : accepted.flatMap((member) => checkRuntimeRefs(member, known))
}

const checkRuntimeRefs = (member: Member, known: ReadonlySet<string>): Diagnostic[] => {
  const unknown = member.facets.runtimeRefs.filter((ref) => !known.has(ref.runtime))
  const first = unknown[0]
  if (first === undefined) return []
  const names = [...new Set(unknown.map((ref) => quote(ref.runtime)))].join(', ')
  return [
    diagnostic(
      'warning',
      'REGISTRY_UNKNOWN_RUNTIME',
      `${member.name} names host runtimes that this GSD does not know: ${names}`,
      {
        id: member.id,
        path: first.pointer,
        hint: 'correct the id, or update GSD: `gsd runtime list` shows the runtimes it knows',
      },
    ),
  ]
}

import { quote } from '../redact.ts'
import type { Fault } from './fault.ts'
import type { Member } from './member.ts'

/**
 * Steps that refer to a command which is neither the capability's own nor of one in its `requires` closure, or to a
 * subcommand that the family does not list (rule 18, the part that needs the merged set).
 *
 * @param byId members of the merged set
 * @param families command family → its owner
 */
export const unknownCommands = (
  member: Member,
  byId: ReadonlyMap<string, Member>,
  families: ReadonlyMap<string, Member>,
): Fault[] =>
  member.facets.commandRefs.flatMap(({ family, subcommand, pointer }): Fault[] => {
    const owner = families.get(family)
    const fault = (reason: string, hint: string): Fault[] => [
      { code: 'REGISTRY_COMMAND_UNKNOWN', reason, pointer, hint },
    ]
    if (owner === undefined)
      return fault(
        `its step refers to the command ${quote(family)}, which no capability has`,
        'declare the family in `commands`',
      )
    if (owner !== member && !requires(member, owner.id, byId))
      return fault(
        `its step refers to the command ${quote(family)} of ${quote(owner.id)}, which it does not require`,
        `add ${quote(owner.id)} to \`requires\``,
      )
    const listed = owner.facets.families.get(family)
    if (subcommand === null || listed === null || listed === undefined || listed.includes(subcommand)) return []
    return fault(
      `its step refers to ${quote(`${family} ${subcommand}`)}, but ${quote(family)} has only ${listed.map(quote).join(', ') || 'no subcommands'}`,
      `use one of the subcommands of ${quote(owner.id)}`,
    )
  })

const requires = (member: Member, id: string, byId: ReadonlyMap<string, Member>): boolean => {
  const seen = new Set<string>()
  const open = [...member.facets.requires]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === id) return true
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(byId.get(next)?.facets.requires ?? []))
  }
  return false
}

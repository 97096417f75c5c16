import { quote } from '../redact.ts'
import type { Fault } from './fault.ts'
import type { Member } from './member.ts'

/**
 * Members with a step that refers to a command that neither the capability itself nor its `requires` closure has, or to a
 * subcommand that the family does not list (rule 18, the part that needs the merged set).
 */
export const findUnknownCommands = (members: readonly Member[]): Map<Member, readonly Fault[]> => {
  const found = new Map<Member, readonly Fault[]>()
  const referring = members.filter((member) => member.facets.commandRefs.length > 0)
  if (referring.length === 0) return found
  const byId = new Map(members.map((member) => [member.id, member]))
  const families = new Map<string, Member>()
  for (const member of members) for (const name of member.facets.families.keys()) families.set(name, member)
  for (const member of referring) {
    const faults = commandFaults(member, byId, families)
    if (faults.length > 0) found.set(member, faults)
  }
  return found
}

const commandFaults = (
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

import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Contact, Policy, PolicyEntry, PolicyList } from '../state/config/policy.ts'

/** Whether a policy allows a contact, and which list refuses it. */
export type PolicyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly list: PolicyList; readonly reason: string }

/** A contact must pass every list (security page, "Policy"). Without a list everything is allowed. */
export const checkPolicy = (policy: Policy, contact: Contact): PolicyVerdict => {
  for (const list of policy.lists) {
    if (list.rule.kind === 'refuse-all') return { allowed: false, list, reason: list.rule.because.message }
    if (list.rule.entries.some((entry) => isAllowedBy(entry, contact))) continue
    return {
      allowed: false,
      list,
      reason: `it allows ${list.rule.entries.map(formatEntry).join(', ') || 'nothing from outside'}`,
    }
  }
  return { allowed: true }
}

/** The same as a function that throws POLICY_REFUSED. */
export const createPolicyCheck =
  (policy: Policy) =>
  (contact: Contact): void => {
    const verdict = checkPolicy(policy, contact)
    if (verdict.allowed) return
    const { origin, file } = verdict.list
    throw new GsdError(
      'POLICY_REFUSED',
      `policy does not allow ${formatContact(contact)}: ${quote(file)} (${origin}); ${verdict.reason}`,
      {
        hint: `${POLICY_OWNERS[origin]} can add it to strict_known_registries; gsd help policy says how`,
        details: { contact, file, origin },
      },
    )
  }

const POLICY_OWNERS = {
  project: 'the maintainer of the project',
  user: 'you',
  machine: 'the administrator of this machine',
} as const satisfies Record<PolicyList['origin'], string>

const isAllowedBy = (entry: PolicyEntry, contact: Contact): boolean => {
  switch (entry.kind) {
    case 'catalog':
      return contact.catalog === entry.name
    case 'host':
      return contact.kind === 'host' && isHostWithin(contact.host, entry.host)
    case 'npm':
      return contact.kind === 'npm' && (entry.scope === null || contact.name.startsWith(`${entry.scope}/`))
    case 'unknown':
      return false
  }
}

/** With a trailing dot it is the same host. */
const isHostWithin = (host: string, allowed: string): boolean => {
  const plain = host.replace(/\.$/, '').toLowerCase()
  return plain === allowed || plain.endsWith(`.${allowed}`)
}

const formatEntry = (entry: PolicyEntry): string => {
  switch (entry.kind) {
    case 'catalog':
      return `catalog:${entry.name}`
    case 'host':
      return entry.host
    case 'npm':
      return entry.scope === null ? 'npm' : `npm:${entry.scope}`
    case 'unknown':
      return `${quote(entry.text)} (unknown)`
  }
}

const formatContact = (contact: Contact): string => {
  const through = contact.catalog === null ? '' : ` (through the catalog ${quote(contact.catalog)})`
  return `${contact.kind === 'host' ? `the host ${quote(contact.host)}` : `the package ${quote(contact.name)}`}${through}`
}

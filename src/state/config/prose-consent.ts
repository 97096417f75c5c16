import { isObject, ownMember } from '../../manifest/json/object.ts'
import { checkSchema, type ConfigFile, readConfigFile } from './config-file.ts'
import type { PolicySources } from './read-policy.ts'

/**
 * Whether a policy asks for consent to changed prose too (`prose_consent: true`): in the machine's or the user's
 * `policy.json`, or in the configuration of the project or of one around it as `capabilities.prose_consent`. The strictest one holds; a file that
 * cannot be read, or any value but false, asks.
 */
export const readProseConsent = ({ machine, user, projects }: PolicySources): boolean => {
  const kind = { name: 'policy', code: 'POLICY_UNREADABLE' } as const
  const files = [readConfigFile(machine, kind), readConfigFile(user, kind)]
  return (
    files.some((file) => asksIn(file, (root) => [ownMember(root, MEMBER)]) || isNewer(file)) ||
    projects.some((file) => asksIn(file, (root) => [ownMember(root, `capabilities.${MEMBER}`), nestedValue(root)]))
  )
}

const MEMBER = 'prose_consent'

const asksIn = (
  file: ConfigFile,
  valuesOf: (root: Readonly<Record<string, unknown>>) => readonly unknown[],
): boolean => {
  if (file.state === 'absent') return false
  if (file.state === 'unreadable') return true
  const isRepeated = file.duplicates.some(({ pointer }) => pointer.endsWith(MEMBER))
  return isRepeated || valuesOf(file.root).some((value) => value !== undefined && value !== false)
}

const isNewer = (file: ConfigFile): boolean => file.state === 'ok' && checkSchema(file) !== null

const nestedValue = (root: Readonly<Record<string, unknown>>): unknown => {
  const capabilities = ownMember(root, 'capabilities')
  return isObject(capabilities) ? ownMember(capabilities, MEMBER) : undefined
}

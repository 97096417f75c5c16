import { GsdError } from '../errors.ts'
import { isCatalogName } from '../spec/catalog-form.ts'
import { readHost } from '../spec/host-name.ts'
import type { PolicyEntry } from './policy.ts'

/** One text of a policy's list: `npm`, `npm:@scope`, `catalog:<name>`, or a host. */
export const readPolicyEntry = (text: string): PolicyEntry => {
  if (text === 'npm') return { kind: 'npm', scope: null }
  const [, prefix, rest = ''] = /^(npm|catalog):(.*)$/s.exec(text) ?? []
  if (prefix === 'npm')
    return /^@[A-Za-z0-9~][A-Za-z0-9._~-]*$/.test(rest) ? { kind: 'npm', scope: rest } : { kind: 'unknown', text }
  if (prefix === 'catalog') return isCatalogName(rest) ? { kind: 'catalog', name: rest } : { kind: 'unknown', text }
  try {
    return { kind: 'host', host: readHost(text, text) }
  } catch (error) {
    if (error instanceof GsdError) return { kind: 'unknown', text }
    throw error
  }
}

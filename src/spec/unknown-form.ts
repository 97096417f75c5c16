import { GsdError } from '../errors.ts'
import { nearestWord } from '../nearest.ts'
import { quote } from '../redact.ts'
import { KNOWN_HOSTS } from './known-hosts.ts'

const PREFIXES = ['npm', ...Object.keys(KNOWN_HOSTS)]

/** The error for a text that is of no form: it names the forms that are nearest to what was typed. */
export const unknownForm = (text: string): GsdError =>
  new GsdError('SPEC_MALFORMED', `${quote(text)} is not a spec`, {
    hint: `did you mean ${nearestForms(text).join(' or ')}?`,
  })

const nearestForms = (text: string): readonly string[] => {
  const trimmed = text.trim()
  if (trimmed !== text) return [`${trimmed} without the blanks around it`, './… for a folder whose name starts so']
  const [, prefix, rest = ''] = /^([A-Za-z0-9+.-]+):(.*)$/.exec(text) ?? []
  if (prefix !== undefined) return ofPrefix(prefix, rest)
  if (/^@[^/]+\/[^/]+$/.test(text)) return [`npm:${text}`, `./${text} for a folder`]
  const [first = ''] = text.split('/')
  if (/^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[a-z]{2,}$/.test(first) && text.includes('/'))
    return [`https://${text}`, `./${text} for a folder`]
  if (/^[^/@\s]+\/[^/@\s]+$/.test(text)) return [`github:${text}`, `./${text} for a folder`]
  if (text.includes('/')) return [`./${text} for a folder`, 'a url with https:// in front']
  return [`npm:${text} for a package`, `./${text} for a folder`, `${text}@<catalog>`]
}

const ofPrefix = (prefix: string, rest: string): readonly string[] => {
  if (prefix.toLowerCase() === 'file') return [`./${rest.replace(/^\.\//, '')} for a path`, 'file:///abs/dir']
  const near = nearestWord(prefix, PREFIXES)
  if (near !== null) return [`${near}:${rest}`, `git@${prefix}:${rest} for ssh`]
  return [`git@${prefix}:${rest} for ssh`, 'a url with https:// in front']
}

import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { parseFragment, splitFragment } from './git-fragment.ts'
import type { SpecParser } from './spec.ts'
import { parseHost, parseUrlUser } from './url-authority.ts'

const SHAPE = /^([^@:/\\#\s]+)@(\[[^\]/@\s]+\]|[^:/\\@[\]#\s]+):(?!:)(.*)$/s

/**
 * `user@host:path`, as in ssh and git. It keeps this form: the path starts at the user's folder on the server, which an
 * `ssh://` url cannot express everywhere.
 */
export const parseScpSpec: SpecParser = (text) => {
  const [address, fragment] = splitFragment(text)
  const [, user, host, path] = SHAPE.exec(address) ?? []
  if (user === undefined || host === undefined || path === undefined) return null
  const url = `${parseUrlUser(user, 'ssh', host)}@${parseHost(host, text)}:${parseScpPath(path, text)}`
  return { kind: 'git', url, ...parseFragment(fragment) }
}

const parseScpPath = (path: string, text: string): string => {
  if (path.startsWith('-'))
    throw new GsdError('SPEC_REFUSED', `${quote(text)} has a path that starts with "-", as a flag does`)
  if (path.split('/').includes('..'))
    throw new GsdError('SPEC_REFUSED', `${quote(text)} has the segment ".." in its path`, {
      hint: 'write the path that it points to',
    })
  const plain = path.replace(/\/$/, '')
  if (plain === '' || path.includes('//') || /[\s\\]/.test(plain)) {
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} names no repository`, {
      hint: 'write git@<host>:<owner>/<repo>.git',
    })
  }
  return plain
}

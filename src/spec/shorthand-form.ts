import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import type { Form } from './form.ts'
import { parseFragment, splitFragment } from './git-fragment.ts'
import { KNOWN_HOSTS, repositoryName, type KnownName } from './known-hosts.ts'

/** `github:owner/repo`, `gitlab:group/sub/repo`, `bitbucket:owner/repo`, each with a fragment: an https url. */
export const shorthandForm: Form = (text) => {
  const [, prefix, rest] = /^([a-z]+):(?!\/\/|:)(.*)$/s.exec(text) ?? []
  if (prefix === undefined || rest === undefined || !Object.hasOwn(KNOWN_HOSTS, prefix)) return null
  const known = KNOWN_HOSTS[prefix as KnownName]
  const [path, fragment] = splitFragment(rest)
  const name = repositoryName(known, path)
  if (name === null) {
    const [, repository, ref] = /^([^@]+)@([^@]+)$/.exec(path) ?? []
    const hint =
      repository === undefined ? `write ${prefix}:<owner>/<repo>` : `did you mean ${prefix}:${repository}#${ref}?`
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} names no repository of ${known.host}`, { hint })
  }
  return { kind: 'git', url: `https://${known.host}/${name}.git`, ...parseFragment(fragment) }
}

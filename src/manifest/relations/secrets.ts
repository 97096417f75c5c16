import type { Path } from '../pointer.ts'
import { holdsSecret, isSecret, secretOfArgument } from '../secret.ts'
import type { Loose } from '../shape.ts'
import { eachString, objectOf, stringsOf, type Relation, type Relations } from './relation.ts'

/** Rule 25: what a bundle holds is read by everybody. The value itself is never shown. */
const noSecretsInClear: Relation = ({ mcpServers }, findings) => {
  for (const [name, server] of Object.entries(objectOf(mcpServers))) {
    const { env, headers, args, url } = objectOf(server)
    const found = (...path: Path): void => findings.at(['mcpServers', name, ...path], 'MANIFEST_MCP_SECRET', undefined)
    for (const [member, pairs] of [
      ['env', env],
      ['headers', headers],
    ] as const)
      for (const [key, value] of Object.entries(objectOf(pairs)))
        if (typeof value === 'string' && (isSecret(key, value) || holdsSecret(value))) found(member, key)
    const words = stringsOf(args)
    eachString(args, (word, index) => {
      if (holdsSecret(word) || secretOfArgument(words, index) !== null) found('args', index)
    })
    if (typeof url === 'string' && holdsSecret(url)) found('url')
  }
}

/** The same of links, and of what gates and lanes run or contact. */
const noSecretIn =
  (textsOf: (manifest: Loose) => readonly (readonly [Path, unknown])[]): Relation =>
  (manifest, findings) => {
    for (const [path, text] of textsOf(manifest))
      if (typeof text === 'string' && holdsSecret(text)) findings.at(path, 'MANIFEST_SECRET', undefined)
  }

const gateCommands = ({ gates }: Loose): [Path, unknown][] =>
  (Array.isArray(gates) ? gates : []).map((gate, index) => [
    ['gates', index, 'check', 'predicate', 'command'],
    objectOf(objectOf(objectOf(gate)['check'])['predicate'])['command'],
  ])

const laneTexts = ({ reviewer }: Loose): [Path, unknown][] => {
  const { args, defaultHost } = objectOf(objectOf(reviewer)['invoke'])
  const words: [Path, unknown][] = (Array.isArray(args) ? args : []).map((word: unknown, index) => [
    ['reviewer', 'invoke', 'args', index],
    word,
  ])
  return [...words, [['reviewer', 'invoke', 'defaultHost'], defaultHost]]
}

export const SECRET_RELATIONS: Relations = [
  ['mcpServers', noSecretsInClear],
  ['homepage', noSecretIn(({ homepage }) => [[['homepage'], homepage]])],
  ['repository', noSecretIn(({ repository }) => [[['repository'], repository]])],
  ['provenance', noSecretIn(({ provenance }) => [[['provenance', 'sourceRepo'], objectOf(provenance)['sourceRepo']]])],
  ['author', noSecretIn(({ author }) => [[['author', 'url'], objectOf(author)['url']]])],
  ['gates', noSecretIn(gateCommands)],
  ['reviewer', noSecretIn(laneTexts)],
]

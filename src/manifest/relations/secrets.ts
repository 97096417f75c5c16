import type { UnknownRecord } from '../json/object.ts'
import type { Path } from '../json/pointer.ts'
import { containsSecret, isSecret, findSecretInArgument } from '../secrets.ts'
import { eachString, objectOf, stringsOf, type Relation, type Relations } from './relation.ts'

/** Rule 25: everyone can read a bundle. The secret itself is never shown. */
const checkServerSecrets: Relation = ({ mcpServers }, findings) => {
  for (const [name, server] of Object.entries(objectOf(mcpServers))) {
    const { env, headers, args, url } = objectOf(server)
    const found = (...path: Path): void =>
      findings.reportAt(['mcpServers', name, ...path], 'MANIFEST_MCP_SECRET', undefined)
    for (const [member, pairs] of [
      ['env', env],
      ['headers', headers],
    ] as const)
      for (const [key, value] of Object.entries(objectOf(pairs)))
        if (typeof value === 'string' && (isSecret(key, value) || containsSecret(value))) found(member, key)
    const words = stringsOf(args)
    eachString(args, (word, index) => {
      if (containsSecret(word) || findSecretInArgument(words, index) !== null) found('args', index)
    })
    if (typeof url === 'string' && containsSecret(url)) found('url')
  }
}

/** The same for links, and for what gates and lanes run or contact. */
const checkSecretTexts =
  (textsOf: (manifest: UnknownRecord) => readonly (readonly [Path, unknown])[]): Relation =>
  (manifest, findings) => {
    for (const [path, text] of textsOf(manifest))
      if (typeof text === 'string' && containsSecret(text)) findings.reportAt(path, 'MANIFEST_SECRET', undefined)
  }

const listGateCommands = ({ gates }: UnknownRecord): [Path, unknown][] =>
  (Array.isArray(gates) ? gates : []).map((gate, index) => [
    ['gates', index, 'check', 'predicate', 'command'],
    objectOf(objectOf(objectOf(gate)['check'])['predicate'])['command'],
  ])

const listLaneTexts = ({ reviewer }: UnknownRecord): [Path, unknown][] => {
  const { args, defaultHost } = objectOf(objectOf(reviewer)['invoke'])
  const words: [Path, unknown][] = (Array.isArray(args) ? args : []).map((word: unknown, index) => [
    ['reviewer', 'invoke', 'args', index],
    word,
  ])
  return [...words, [['reviewer', 'invoke', 'defaultHost'], defaultHost]]
}

export const SECRET_RELATIONS: Relations = [
  ['mcpServers', checkServerSecrets],
  ['homepage', checkSecretTexts(({ homepage }) => [[['homepage'], homepage]])],
  ['repository', checkSecretTexts(({ repository }) => [[['repository'], repository]])],
  [
    'provenance',
    checkSecretTexts(({ provenance }) => [[['provenance', 'sourceRepo'], objectOf(provenance)['sourceRepo']]]),
  ],
  ['author', checkSecretTexts(({ author }) => [[['author', 'url'], objectOf(author)['url']]])],
  ['gates', checkSecretTexts(listGateCommands)],
  ['reviewer', checkSecretTexts(listLaneTexts)],
]

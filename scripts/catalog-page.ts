import schema from '../schemas/catalog.v1.schema.json' with { type: 'json' }
import { block, code, page, table } from './markdown.ts'

/** `docs/reference/catalog.md`: the format of a catalog, from its JSON Schema. */
export const catalogPage = (): string =>
  page([
    '# Catalog',
    'The file that a [catalog](../how-to/install-from-a-catalog.md) is, made from its JSON Schema, ' +
      '`schemas/catalog.v1.schema.json` (`npm run generate`). It is JSON in UTF-8, of at most 32 MiB. Whatever in it is wrong makes the ' +
      'whole list unusable. Members that are not named here are left alone.',
    block(JSON.stringify(EXAMPLE, null, 2), 'json'),
    '## The list',
    members(schema),
    '## A capability',
    members(schema.$defs.capability),
    'Of an `id` the rules are those of the manifest.',
    '## A version',
    members(schema.$defs.version),
    'What stands here can only narrow. The source has to have the integrity, the id and the version that are stated, its own `engines` ' +
      'have to fit too, and policy judges it as if it had been named directly. Another catalog is no source. Of two versions that fit ' +
      'the newer one is taken, and a prerelease only where nothing stable fits. ' +
      'Where the newest is made for another GSD, `engines` here and `compatVersions` in its manifest say which older one is tried instead.',
  ])

interface Described {
  readonly required?: readonly string[]
  readonly properties: object
}

const members = ({ required = [], properties }: Described): string =>
  table(
    ['Member', 'Needed', 'What it is'],
    Object.entries(properties as Readonly<Record<string, { readonly description?: string }>>).map(
      ([name, { description = '' }]) => [code(name), required.includes(name) ? 'yes' : 'no', description],
    ),
  )

const EXAMPLE = {
  schema: 1,
  capabilities: {
    'hello-hook': {
      title: 'Hello, hook',
      versions: {
        '1.0.0': {
          spec: 'https://downloads.example.org/hello-hook-1.0.0.tgz',
          integrity: `sha512-${'A'.repeat(86)}==`,
        },
        '1.1.0': { spec: 'github:owner/hello-hook#v1.1.0', engines: { gsd: '>=1.6.0' } },
      },
    },
  },
}

import schema from '../schemas/catalog.v1.schema.json' with { type: 'json' }
import { block, code, page, table } from './markdown.ts'

/** `docs/reference/catalog.md`: the format of a catalog, from its JSON Schema. */
export const catalogPage = (): string =>
  page([
    '# Catalog',
    'The format of a [catalog](../how-to/install-from-a-catalog.md): JSON in UTF-8, at most 32 MiB. One error makes the whole list ' +
      'unusable; unknown members are ignored. Generated from `schemas/catalog.v1.schema.json` by `npm run generate`.',
    block(JSON.stringify(EXAMPLE, null, 2), 'json'),
    '## The list',
    members(schema),
    '## A capability',
    members(schema.$defs.capability),
    'Ids follow the [rules of the manifest](manifest-rules.md).',
    '## A version',
    members(schema.$defs.version),
    'A catalog can only narrow: integrity, id, version and `engines` must match, and policy judges the source. A source cannot be ' +
      'another catalog. The newest version that fits is installed, a prerelease only if nothing stable fits. If the newest needs ' +
      'another GSD, `engines` here and `compatVersions` in its manifest give the older one to try.',
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

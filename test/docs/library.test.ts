import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as library from '../../src/index.ts'
import { readPage, ROOT } from '../helpers/doc-page.ts'

const page = readPage('docs/reference/library.md')

/** Names of the members of an interface. */
const membersOf = (file: string, name: string): string[] => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const [, body = ''] = new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(text) ?? []
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?(:]/gm)].map((found) => found[1] ?? '')
}

describe('the page on the library', () => {
  it.each(Object.keys(library))('has a section on %s', (name) =>
    expect(page).toMatch(new RegExp(`^## ${name}\\b`, 'm')),
  )

  it.each([...membersOf('src/loader.ts', 'LoadOptions'), ...membersOf('src/registry/registry.ts', 'Registry')])(
    'names %s in its tables',
    (member) => expect(page).toMatch(new RegExp(`^\\|.*\`${member}\\b.*\`.*\\|`, 'm')),
  )

  it('lists all members', () => {
    expect(membersOf('src/loader.ts', 'LoadOptions').length).toBeGreaterThan(6)
    expect(membersOf('src/registry/registry.ts', 'Registry').length).toBeGreaterThan(10)
  })
})

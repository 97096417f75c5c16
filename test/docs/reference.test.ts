import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { helpFor } from '../../src/cli/help.ts'
import { TOPICS } from '../../src/cli/topics.ts'
import { plain } from '../../src/cli/view/style.ts'

const REFERENCE = join(import.meta.dirname, '../../docs/reference')

const page = (title: string, intro: string, parts: readonly (readonly [heading: string, text: string])[]): string =>
  [
    `# ${title}`,
    `<!-- Made from the command table: \`npx vitest run test/docs --update\` -->`,
    intro,
    ...parts.flatMap(([heading, text]) => [`## ${heading}`, `\`\`\`text\n${text}\n\`\`\``]),
  ].join('\n\n') + '\n'

/** They are the same for every command, and stand once, under `gsd`. */
const withoutCommonFlags = (help: string): string => help.replace(/^Common flags\n(?: .*\n)+\n?/m, '')

describe('the reference of the command line', () => {
  it('is what the program says of itself', async () => {
    const commands = COMMANDS.map(
      ({ noun, verb }) => [`gsd ${noun} ${verb}`, withoutCommonFlags(helpFor([noun, verb], plain))] as const,
    )
    const text = page(
      'Commands',
      'What `gsd --help` and `gsd help <command>` print. The flags under `gsd` go with every command.',
      [['gsd', helpFor([], plain)], ...commands],
    )
    await expect(text).toMatchFileSnapshot(join(REFERENCE, 'commands.md'))
  })

  it('has its pages on specs, scopes, the environment and exit statuses', async () => {
    const topics = Object.keys(TOPICS).map((topic) => [`gsd help ${topic}`, helpFor([topic], plain)] as const)
    const text = page('Topics', 'What `gsd help <topic>` prints.', topics)
    await expect(text).toMatchFileSnapshot(join(REFERENCE, 'topics.md'))
  })
})

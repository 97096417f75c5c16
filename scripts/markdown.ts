/** A table that no formatter pads: one change of a cell is one changed line. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    '<!-- prettier-ignore -->',
    `| ${head.join(' | ')} |`,
    `| ${head.map(() => '---').join(' | ')} |`,
    ...rows.map((cells) => `| ${cells.map(cell).join(' | ')} |`),
  ].join('\n')

export const code = (text: string): string => `\`${text}\``

/** A fenced block. */
export const block = (text: string, lang = 'text'): string => `\`\`\`${lang}\n${text.trimEnd()}\n\`\`\``

/** The parts of a page, one blank line between each. */
export const page = (parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`

const cell = (text: string): string => text.replaceAll('|', '\\|')

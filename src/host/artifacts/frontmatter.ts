/** One member of a frontmatter, with every line that belongs to it. */
export interface Field {
  readonly key: string
  /** As written, line ends and all. */
  readonly raw: string
}

/** A Markdown text that begins with a frontmatter. Joined again it is the very text. */
export interface Frontmatter {
  /** The opening line. */
  readonly open: string
  /** Comments and blanks before the first member; everything where it is not written as members on lines of their own. */
  readonly lead: string
  /** Blanks in front of each member. */
  readonly indent: string
  readonly fields: readonly Field[]
  /** The closing line and everything after it. */
  readonly rest: string
  readonly eol: string
}

/** Splits a text at its frontmatter; null where it has none. */
export const splitFrontmatter = (text: string): Frontmatter | null => {
  const open = /^\uFEFF?---[ \t]*(\r?\n)/.exec(text)
  if (open === null) return null
  const close = /^---[ \t]*$/m.exec(text.slice(open[0].length).replaceAll('\r\n', ' \n'))
  if (close === null) return null
  const end = open[0].length + close.index
  const lines = text.slice(open[0].length, end).match(/[^\n]*\n/g) ?? []
  const first = lines.find((line) => /^[ \t]*[^\s#]/.test(line)) ?? ''
  const indent = parseKey(first) === undefined ? '' : (/^ */.exec(first)?.[0] ?? '')
  const fields: Field[] = []
  let lead = ''
  for (const line of lines) {
    const isMember = parseKey(first) !== undefined && line.startsWith(indent) && !/^\s/.test(line.slice(indent.length))
    const key = isMember ? parseKey(line) : undefined
    const last = fields.at(-1)
    if (key !== undefined) fields.push({ key, raw: line })
    else if (last === undefined) lead += line
    else fields[fields.length - 1] = { key: last.key, raw: last.raw + line }
  }
  return { open: open[0], lead, indent, fields, rest: text.slice(end), eol: open[1] ?? '\n' }
}

/** It has content, but not as members on lines of their own: in braces, as a list, or no YAML at all. */
export const isUnsupportedForm = ({ lead, fields }: Frontmatter): boolean =>
  fields.length === 0 && /^[ \t]*[^\s#]/m.test(lead)

const parseKey = (line: string): string | undefined => {
  const [, bare, double, single] = /^ *(?:([A-Za-z_][\w-]*)|"([^"\\]*)"|'([^']*)')[ \t]*:(?:\s|$)/.exec(line) ?? []
  return bare ?? double ?? single
}

export const joinFrontmatter = ({ open, lead, fields, rest }: Frontmatter): string =>
  open + lead + fields.map(({ raw }) => raw).join('') + rest

/** The words of a list member: `A, B`, `"A, B"`, `[A, B]` or one a line after a dash; without comments. */
export const parseList = ({ raw }: Field): readonly string[] => {
  const value = raw.slice(raw.indexOf(':') + 1).replaceAll(/(^|\s)#.*$/gm, '$1')
  const inline = value
    .trim()
    .replace(/^\[|\]$/g, '')
    .replace(/^"([^"]*)"$|^'([^']*)'$/, '$1$2')
  const words = /^\s*-\s/m.test(value)
    ? [...value.matchAll(/^\s*-\s+(.*)$/gm)].map(([, word = '']) => word)
    : splitList(inline)
  return words.map((word) => word.trim().replace(/^(["'])(.*)\1$/, '$2')).filter((word) => word !== '')
}

/** A comma inside parentheses, as in `Bash(git:a,b)`, separates nothing. */
const splitList = (text: string): string[] => text.match(/(?:[^,(]|\([^)]*\))+/g) ?? []

/** A member of one line. A text that YAML could read as another type is quoted. */
export const createField = (key: string, value: string, eol: string): Field => ({
  key,
  raw: `${key}: ${/^[A-Za-z][\w ,./()*-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value) ? value : JSON.stringify(value)}${eol}`,
})

/** One line of an ignore file. */
interface IgnoreRule {
  readonly negated: boolean
  readonly foldersOnly: boolean
  /** Patterns of path segments; null stands for any number of segments. */
  readonly segments: readonly (readonly Token[] | null)[]
}

/** One part of the pattern of a name. */
type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] }

/** Whether an ignore file leaves out a path. What is below an ignored folder is ignored, and not asked for. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean

/**
 * Rules in the grammar of gitignore: the last line that matches decides. Each pattern is matched in at most the product of
 * the lengths, whatever it holds.
 */
export const parseIgnoreRules = (text: string): IgnoreRules => {
  const rules = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .flatMap((line) => parseRule(line) ?? [])
  return (path, isFolder) => {
    const names = path.split('/')
    const rule = rules.findLast(
      ({ foldersOnly, segments }) =>
        (isFolder || !foldersOnly) &&
        matchesSequence(segments, names, {
          isWild: (part) => part === null,
          matches: (part, name) => part !== null && matchesName(part, name),
        }),
    )
    return rule !== undefined && !rule.negated
  }
}

const parseRule = (line: string): IgnoreRule | null => {
  const trimmed = withoutTrailingBlanks(line)
  if (trimmed === '' || trimmed.startsWith('#')) return null
  const negated = trimmed.startsWith('!')
  const typed = negated ? trimmed.slice(1) : trimmed
  const foldersOnly = typed.endsWith('/')
  const pattern = typed.replace(/\/+$/, '')
  if (pattern === '') return null
  const parts = pattern.replace(/^\//, '').split('/')
  const isAnchored = pattern.includes('/')
  const segments = [
    ...(isAnchored ? [] : [null]),
    ...parts.map((part) => (part === '**' ? null : tokensOf(part))),
    // `a/**` is what is in the folder, and not the folder.
    ...(parts.at(-1) === '**' ? [ANY_NAME] : []),
  ]
  return { negated, foldersOnly, segments }
}

const ANY_NAME: readonly Token[] = [{ kind: 'star' }]

/** A blank at the end counts only behind a backslash. */
const withoutTrailingBlanks = (line: string): string => {
  let end = line.length
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t') && line[end - 2] !== '\\') end -= 1
  return line.slice(0, end)
}

const tokensOf = (pattern: string): readonly Token[] => {
  const tokens: Token[] = []
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? ''
    if (char === '*') tokens.push({ kind: 'star' })
    else if (char === '?') tokens.push({ kind: 'any' })
    else if (char === '\\' && at + 1 < pattern.length) tokens.push({ kind: 'char', char: pattern[(at += 1)] ?? '' })
    else if (char === '[') {
      const end = pattern.indexOf(']', at + 2 + (/^\[[!^]/.test(pattern.slice(at)) ? 1 : 0))
      if (end < 0) tokens.push({ kind: 'char', char })
      else {
        tokens.push(setOf(pattern.slice(at + 1, end)))
        at = end
      }
    } else tokens.push({ kind: 'char', char })
  }
  return tokens
}

/** The inside of `[…]`. */
const setOf = (text: string): Token => {
  const negated = /^[!^]/.test(text)
  const ranges = [...text.slice(negated ? 1 : 0).matchAll(/(.)-(.)|(.)/gs)].map(
    ([, from, to, single = '']) => [from ?? single, to ?? single] as const,
  )
  return { kind: 'set', negated, ranges }
}

const matchesName = (tokens: readonly Token[], name: string): boolean =>
  matchesSequence(tokens, [...name], {
    isWild: ({ kind }) => kind === 'star',
    matches: (token, char) => {
      if (token.kind === 'char') return token.char === char
      if (token.kind !== 'set') return true
      return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.negated
    },
  })

interface SequenceRules<P, I> {
  /** It stands for any number of items. */
  readonly isWild: (part: P) => boolean
  readonly matches: (part: P, item: I) => boolean
}

/** After a mismatch only the last wildcard takes one item more, so the time is at most the product of the lengths. */
const matchesSequence = <P, I>(
  pattern: readonly P[],
  items: readonly I[],
  { isWild, matches }: SequenceRules<P, I>,
): boolean => {
  let part = 0
  let at = 0
  let wild: { readonly part: number; at: number } | null = null
  while (at < items.length) {
    const [now, item] = [pattern[part], items[at]]
    if (part < pattern.length && isWild(now as P)) wild = { part: part++, at }
    else if (part < pattern.length && matches(now as P, item as I)) {
      part += 1
      at += 1
    } else if (wild !== null) {
      wild.at += 1
      at = wild.at
      part = wild.part + 1
    } else return false
  }
  return pattern.slice(part).every(isWild)
}

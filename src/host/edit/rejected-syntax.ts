import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import type { HostRuntime, RejectedSyntax } from '../runtimes/runtime.ts'
import { parseDocument } from '../splice/json-document.ts'
import { isComment, tokensBetween } from '../splice/json-tokens.ts'
import { positionOf } from '../splice/text-patch.ts'

const SYNTAX_LABELS: Readonly<Record<RejectedSyntax, string>> = {
  comment: 'comments',
  'trailing-comma': 'a trailing comma',
  bom: 'a byte order mark',
}

/**
 * Syntax of a JSON settings text that makes this host ignore the file (hosts page). The edit keeps it, so the user has to
 * know.
 */
export const findRejectedSyntax = (
  file: string,
  text: string,
  { title, rejectedSyntax, rootMembers }: HostRuntime,
): Diagnostic[] => {
  const tell = (what: string, offset: number): Diagnostic =>
    diagnostic(
      'warning',
      'HOST_SYNTAX_NOT_READ',
      `${title} does not read a file with ${what}, so nothing in it takes effect`,
      {
        file,
        ...positionOf(text, offset),
        hint: `remove ${what} from ${file}; it was kept as it is`,
      },
    )
  return [
    ...rejectedSyntax.flatMap((syntax) => {
      const offset = SYNTAX_FINDERS[syntax](text)
      return offset === -1 ? [] : [tell(SYNTAX_LABELS[syntax], offset)]
    }),
    ...(rootMembers === undefined ? [] : findUnknownMembers(text, file, rootMembers)).map(({ name, offset }) =>
      tell(`the member ${quote(name)}`, offset),
    ),
  ]
}

const findUnknownMembers = (text: string, file: string, known: readonly string[]): { name: string; offset: number }[] =>
  (parseDocument(text, file).root?.children ?? []).flatMap(({ children, offset }) => {
    const name = String(children?.[0]?.value)
    return known.includes(name) ? [] : [{ name, offset }]
  })

const SYNTAX_FINDERS: Readonly<Record<RejectedSyntax, (text: string) => number>> = {
  bom: (text) => (text.startsWith('\uFEFF') ? 0 : -1),
  comment: (text) => allTokens(text).find(isComment)?.start ?? -1,
  'trailing-comma': (text) => {
    const tokens = allTokens(text).filter((token) => token.kind === 'comma' || token.kind === 'value')
    return (
      tokens.find(({ kind }, index) => kind === 'comma' && isClosingBracket(text, tokens[index + 1]?.start))?.start ??
      -1
    )
  },
}

const allTokens = (text: string): ReturnType<typeof tokensBetween> =>
  tokensBetween(text, text.startsWith('\uFEFF') ? 1 : 0, text.length)

const isClosingBracket = (text: string, offset: number | undefined): boolean =>
  offset !== undefined && (text.charAt(offset) === '}' || text.charAt(offset) === ']')

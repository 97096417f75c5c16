import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import type { HostRuntime, Syntax } from './runtimes/runtime.ts'
import { positionOf } from './splice/position.ts'
import { isComment, tokensBetween } from './splice/tokens.ts'

const NAMES: Readonly<Record<Syntax, string>> = {
  comment: 'comments',
  'trailing-comma': 'a trailing comma',
  bom: 'a byte order mark',
}

/**
 * What stands in a JSON settings text that this host refuses to read. Our edit keeps it all the same; the user must know
 * that the host will not see the file (hosts page).
 */
export const unreadSyntax = (file: string, text: string, runtime: HostRuntime): Diagnostic[] =>
  runtime.refuses.flatMap((syntax) => {
    const offset = FINDERS[syntax](text)
    if (offset === -1) return []
    const message = `${runtime.title} does not read a file with ${NAMES[syntax]}, so nothing in it takes effect`
    const hint = `take ${NAMES[syntax]} out of ${file}; it was kept as it is`
    return [diagnostic('warning', 'HOST_SYNTAX_NOT_READ', message, { file, ...positionOf(text, offset), hint })]
  })

const FINDERS: Readonly<Record<Syntax, (text: string) => number>> = {
  bom: (text) => (text.startsWith('\uFEFF') ? 0 : -1),
  comment: (text) => tokensOf(text).find(isComment)?.start ?? -1,
  'trailing-comma': (text) => {
    const tokens = tokensOf(text).filter((token) => token.kind === 'comma' || token.kind === 'value')
    return tokens.find(({ kind }, index) => kind === 'comma' && closes(text, tokens[index + 1]?.start))?.start ?? -1
  },
}

const tokensOf = (text: string): ReturnType<typeof tokensBetween> =>
  tokensBetween(text, text.startsWith('\uFEFF') ? 1 : 0, text.length)

const closes = (text: string, offset: number | undefined): boolean =>
  offset !== undefined && (text.charAt(offset) === '}' || text.charAt(offset) === ']')

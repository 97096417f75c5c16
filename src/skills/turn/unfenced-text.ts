const OPENING = /^(`{3,})[^`]*$|^(~{3,})/
const QUOTED = /^ {0,3}> ?/
const LIST_ITEM = /^( *(?:[-*+]|\d{1,9}[.)]) +)/

/**
 * The text with every line of fenced code emptied (CommonMark: three or more backticks or tildes, up to a closing fence
 * of at least as many, or to the end). Fences in quotes and list items count too.
 */
export const unfencedText = (text: string): string => {
  let fence: string | null = null
  let listIndent = 0
  const lines = text.split(/\r\n|\n|\r/)
  return lines
    .map((line) => {
      const unquoted = withoutQuotes(line)
      const item = LIST_ITEM.exec(unquoted)?.[1] ?? ''
      const content = unquoted.slice(item.length).trimStart()
      const indent = unquoted.length - content.length
      if (fence !== null) {
        if (isClosing(unquoted.trim(), fence)) fence = null
        return ''
      }
      if (item !== '') listIndent = indent
      else if (content !== '' && indent < listIndent) listIndent = indent < 2 ? 0 : indent
      const opened = indent <= listIndent + 3 ? OPENING.exec(content) : null
      fence = opened?.[1] ?? opened?.[2] ?? null
      return fence === null ? line : ''
    })
    .join('\n')
}

const withoutQuotes = (line: string): string => {
  let rest = line
  while (QUOTED.test(rest)) rest = rest.replace(QUOTED, '')
  return rest
}

const isClosing = (line: string, fence: string): boolean =>
  line.length >= fence.length && line === (fence[0] ?? '').repeat(line.length)

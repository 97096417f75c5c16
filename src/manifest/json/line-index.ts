/** 1-based; columns count UTF-16 code units, and LF, CR and CRLF each end a line. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Offset → line and column in one text. The line starts are searched on the first call. */
export const lineIndex = (text: string): ((offset: number) => Position) => {
  let starts: readonly number[] | null = null
  return (offset) => {
    starts ??= lineStarts(text)
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  }
}

const lineStarts = (text: string): number[] => {
  const starts = [0]
  for (const end of text.matchAll(/\r\n|\r|\n/g)) starts.push(end.index + end[0].length)
  return starts
}

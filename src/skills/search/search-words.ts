const RUN = /[\p{L}\p{N}\p{M}]+/gu
const MARKS = /\p{M}+/gu
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]+/gu
const ASCII = /^[\u0020-\u007e\t\n\r]*$/
const ASCII_RUN = /[a-z0-9]+/g

/**
 * The words of a text as search compares them: lower case, without marks, parted at whatever is no letter or digit.
 * Scripts that write no blanks between words give each character and each pair of neighbours.
 */
export const searchWords = (text: string): readonly string[] => {
  if (ASCII.test(text)) return (text.toLowerCase().match(ASCII_RUN) ?? []).map(stem)
  const folded = text.normalize('NFKC').toLowerCase()
  return (folded.match(RUN) ?? []).flatMap(wordsOfRun)
}

const wordsOfRun = (run: string): readonly string[] => {
  const words: string[] = []
  let from = 0
  for (const found of run.matchAll(CJK)) {
    if (found.index > from) words.push(plain(run.slice(from, found.index)))
    words.push(...pairs(found[0]))
    from = found.index + found[0].length
  }
  if (from < run.length) words.push(plain(run.slice(from)))
  return words.filter((word) => word !== '')
}

const plain = (word: string): string => stem(word.normalize('NFD').replace(MARKS, '').normalize('NFC'))

const pairs = (text: string): readonly string[] => {
  const characters = [...text]
  const neighbours = characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`)
  return [...characters, ...neighbours]
}

/** Takes the plural off, which is all the grammar that search knows. */
const stem = (word: string): string => {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss') || word.endsWith('us') || word.endsWith('is'))
    return word
  return word.endsWith('ies') && word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
}

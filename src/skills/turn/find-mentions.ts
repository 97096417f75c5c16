import { unfencedText } from './unfenced-text.ts'

const MENTION = /(?<![A-Za-z0-9_.+@/-])@([A-Za-z0-9][A-Za-z0-9._/-]*)/g

/**
 * The ids that a text mentions as `@id`, each once, in the order of their first mention. What follows a letter, a digit or
 * one of `_ . + @ / -` is no mention, so addresses such as `joe@go.dev` hold none; fenced code is skipped. An id is never
 * cut at a slash: `@angular/core` is the mention `angular/core`.
 */
export const findMentions = (text: string): readonly string[] => [...new Set(allMentions(text))]

/** The same with every repetition. */
export const allMentions = (text: string): readonly string[] =>
  text.includes('@') ? [...unfencedText(text).matchAll(MENTION)].map(([, id = '']) => withoutTail(id)) : []

/** Punctuation at the end belongs to the sentence. */
const withoutTail = (id: string): string => {
  let end = id.length
  while (end > 0 && '._/-'.includes(id.charAt(end - 1))) end -= 1
  return id.slice(0, end)
}

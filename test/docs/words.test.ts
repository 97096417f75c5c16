import { describe, expect, it } from 'vitest'
import { docPages, readPage } from '../helpers/doc-page.ts'

/** Words that do not belong on pages for users: about the place, the people or the process of writing. */
const FORBIDDEN = [
  /\/(?:work|tmp|root)\//,
  /\/home\/(?!you\b)/,
  /\b(?:registry\.npmjs|npmjs\.com|proxy\.golang)\b/i,
  /\b(?:AI assistant|LLM|GPT|chatbot|sub-?agent|this session|in a session)\b/i,
  /\b(?:issue|ticket) #?\d/i,
  /\b(?:TODO|FIXME|TBD|coming soon|lorem ipsum)\b/i,
  /\b(?:simply|blazing|seamless(?:ly)?|powerful|robust|effortless(?:ly)?|leverag(?:e|es|ing)|revolutionary|cutting-edge)\b/i,
]

describe.each(docPages())('%s', (page) => {
  it('is about the project only', () => {
    const found = readPage(page)
      .split('\n')
      .flatMap((line, at) => (FORBIDDEN.some((word) => word.test(line)) ? [`${at + 1}: ${line}`] : []))
    expect(found).toEqual([])
  })

  it('has one title', () => {
    const titles = readPage(page)
      .replaceAll(/^```.*?^```/gms, '')
      .match(/^# /gm)
    expect(titles).toHaveLength(1)
  })
})

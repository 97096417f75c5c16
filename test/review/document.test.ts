import { describe, expect, it } from 'vitest'
import { composePrompt, composeWithin, textWithin, tokensOf } from '../../src/review/compose-prompt.ts'
import { composeReviews } from '../../src/review/compose-reviews.ts'
import { embedReview } from '../../src/review/embed-review.ts'
import type { LaneResult } from '../../src/review/lane-result.ts'
import type { Lane } from '../../src/review/lane.ts'
import type { PromptPart } from '../../src/review/phase-files.ts'

const result = (name: string, text: string, evidence: Lane['evidence'] = 'source-grounded'): LaneResult => ({
  lane: { name, slug: name, section: name, instance: false, evidence } as Lane,
  state: 'reviewed',
  text,
  reason: null,
  detail: '',
  exitStatus: null,
  truncated: false,
  cut: [],
  seconds: 1,
})

const documentOf = (...results: readonly LaneResult[]): string =>
  composeReviews({ phase: '03', reviewedAt: '2026-01-01T00:00:00.000Z', plans: [], results, treeChanged: false })

const sectionsOf = (text: string): readonly string[] => text.match(/^ {0,3}##(?!#).*$/gm) ?? []

describe('a review in the document', () => {
  it.each([
    ['a heading', '## Codex Review\n\nAll is well.'],
    ['a heading in a list', '- ## Codex Review'],
    ['a heading behind blanks', '   ## Codex Review'],
    ['a heading in code', '```\n## Codex Review\n```'],
    ['a heading in code of blanks', '    ```\n## Codex Review'],
    ['a heading of level one', '# Codex Review'],
  ])('opens no section by %s', (_what, text) => {
    expect(sectionsOf(documentOf(result('a', text)))).toEqual(['## a Review', '## Consensus Summary'])
  })

  it('opens no section by a line below a text', () => {
    expect(embedReview('Codex Review\n---\nFine.')).toBe('Codex Review\n\n---\nFine.')
    expect(embedReview('Codex Review\n===')).toBe('Codex Review\n\n===')
  })

  it('opens no section by HTML, and hides nothing in a comment', () => {
    expect(embedReview('a <h2>Codex Review</h2>\n<!-- hidden')).toBe('a &lt;h2>Codex Review&lt;/h2>\n&lt;!-- hidden')
  })

  it.each([
    ['that stays open', 'Fine.\n```\ncode'],
    ['that a list ends early', '1. x\n   ```\ntext\n   ```'],
    ['with a longer fence inside', '~~~\n```\n'],
  ])('is a quotation where it has a fence %s', (_what, text) => {
    expect(
      embedReview(text)
        .split('\n')
        .every((line) => line.startsWith('>')),
    ).toBe(true)
  })

  it('keeps code of fences that are closed', () => {
    expect(embedReview('```ts\nconst a = 1\n```\nFine.')).toBe('```ts\nconst a = 1\n```\nFine.')
  })
})

describe('the consensus', () => {
  it('has the places that two reviews cite that read the sources, and no other', () => {
    const text = documentOf(
      result('a', 'See `src/a.ts:12` and src/b.ts:3, http://example.org:80'),
      result('b', './src/a.ts:12, src/c.ts:9, http://example.org:80'),
      result('c', 'src/c.ts:9', 'diff-only'),
    )
    expect(text).toContain('| `src/a.ts:12` | a, b |')
    expect(text.match(/^\| `/gm)).toHaveLength(1)
  })
})

describe('a prompt within a budget', () => {
  const part = (kind: PromptPart['kind'], label: string, bytes: number): PromptPart => ({
    kind,
    label,
    text: 'line\n'.repeat(bytes / 5),
  })
  const parts = [
    part('plan', '03-01-PLAN.md', 8000),
    part('project', '.planning/PROJECT.md', 4000),
    part('context', '03-CONTEXT.md', 4000),
    part('research', '03-RESEARCH.md', 4000),
  ]

  it.each([
    [6000, []],
    [4700, ['03-CONTEXT.md']],
    [3800, ['03-CONTEXT.md', '03-RESEARCH.md']],
    [3000, ['03-CONTEXT.md', '03-RESEARCH.md', '.planning/PROJECT.md']],
    [1000, ['03-CONTEXT.md', '03-RESEARCH.md', '.planning/PROJECT.md', '03-01-PLAN.md']],
  ])('of %d tokens lacks %j', (budget, cut) => {
    const prompt = composeWithin(parts, budget)
    expect(prompt?.cut.map((what) => what.replace(/ after.*/, ''))).toEqual(cut)
    expect(tokensOf(prompt?.text ?? '')).toBeLessThanOrEqual(budget)
    expect(prompt?.text.includes('is cut.]')).toBe(cut.includes('03-01-PLAN.md'))
  })

  it('does not exist below the minimum', () => {
    expect(composeWithin(parts, 100)).toBeNull()
    expect(composeWithin(parts, null)?.text).toBe(composePrompt(parts))
  })
})

describe("a prompt of the user's own", () => {
  it('is cut at its end to a budget, with a note, between two characters', () => {
    const prompt = textWithin('é'.repeat(5000), 1000)
    expect(tokensOf(prompt?.text ?? '')).toBeLessThanOrEqual(1000)
    expect(prompt?.text).toMatch(/^é+\n\n\[The rest of this prompt, \d+ bytes, is cut\.\]$/)
    expect(prompt?.cut).toEqual(['the end of the prompt'])
  })

  it('is kept where it fits, and refused where too little would be left', () => {
    expect(textWithin('short', 1000)).toEqual({ text: 'short', cut: [] })
    expect(textWithin('long'.repeat(1000), 50)).toBeNull()
  })
})

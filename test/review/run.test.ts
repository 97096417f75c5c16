import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PHASE, useReview } from './review-fixture.ts'

const review = useReview()

describe('gsd review run', () => {
  it('gives the plan to a program on stdin and writes its answer as a section', async () => {
    review.program('claude', 'cat > "$HOME/seen"; echo "## Summary"; echo "The plan is fine, see src/login.ts:3."')
    const run = await review.run(['--claude'])
    expect(run.stderr).not.toContain('error')
    expect(run.status).toBe(0)
    expect(readFileSync(join(review.machine.home, 'seen'), 'utf8')).toContain('Add a login page in src/login.ts.')
    expect(review.reviews()).toContain('## Claude Review\n\n#### Summary\nThe plan is fine, see src/login.ts:3.')
    expect(review.reviews()).toMatch(/^---\nphase: "03"\nreviewers: \["claude"\]\n/)
    expect(review.reviews()).toContain('plans_reviewed: ["03-01-PLAN.md"]')
    expect(run.stdout).toContain(`wrote ${PHASE}/03-REVIEWS.md`)
  })

  it("gives a prompt of the user's own, runs lanes side by side, and writes where it is told", async () => {
    review.file('ask.md', 'Only look at the login page.')
    // Each ends well only while the other one runs.
    const meet = (own: string, other: string): string =>
      `touch "$HOME/${own}"; n=0; until [ -e "$HOME/${other}" ]; do n=$((n+1)); [ $n -lt 100 ] || exit 1; sleep 0.1; done`
    review.program('claude', `cat > "$HOME/seen"; ${meet('a', 'b')}; echo From claude.`)
    review.program('gemini', `cat >/dev/null; ${meet('b', 'a')}; echo From gemini.`)
    const run = await review.run(['--claude', '--gemini', '--jobs', '2', '--prompt', 'ask.md', '--out', 'notes.md'])
    expect(run.status).toBe(0)
    expect(readFileSync(join(review.machine.home, 'seen'), 'utf8')).toBe('Only look at the login page.')
    const notes = readFileSync(join(review.machine.project, 'notes.md'), 'utf8')
    expect(notes).toContain('From claude.')
    expect(notes).toContain('From gemini.')
    expect(existsSync(join(review.machine.project, PHASE, '03-REVIEWS.md'))).toBe(false)
    expect(run.stdout).toContain('next, in your agent: /gsd-plan-phase 03 --reviews')
  })

  it('reads the answer of a lane with an output file from that file', async () => {
    review.program(
      'codex',
      'cat >/dev/null; echo noise; while [ $# -gt 0 ]; do [ "$1" = -o ] && echo "From the file." > "$2"; shift; done',
    )
    expect((await review.run(['--codex'])).status).toBe(0)
    expect(review.reviews()).toContain('## Codex Review\n\nFrom the file.\n')
    expect(review.reviews()).not.toContain('noise')
  })

  it('names the prompt file and the repository for a lane that gets the prompt by file', async () => {
    review.program(
      'cursor-agent',
      'for last; do :; done; echo "$last" > "$HOME/arg"; cat $(echo "$last" | cut -d" " -f4) | grep -c login',
    )
    expect((await review.run(['--cursor'])).status).toBe(0)
    expect(readFileSync(join(review.machine.home, 'arg'), 'utf8')).toContain(
      `The repository is ${review.machine.project}.`,
    )
  })

  it('writes a stub with the reason for a program that ends well and says nothing, and exits with 5', async () => {
    review.program('claude', 'cat >/dev/null; echo "rate limit" >&2; echo "   "')
    const run = await review.run(['--claude', '--json'])
    expect(run.status).toBe(5)
    expect(run.json.error.code).toBe('FETCH_REVIEW_FAILED')
    expect(run.json.data['results']).toMatchObject([{ name: 'claude', state: 'failed' }])
    expect(review.reviews()).toContain('failed_reviewers: ["claude"]')
    expect(review.reviews()).toContain('**No review: this reviewer failed.** it ended without a review')
    expect(review.reviews()).toContain('rate limit')
  })

  it('writes the others before it fails for a named lane that cannot run', async () => {
    review.program('claude', 'cat >/dev/null; echo Fine.')
    const run = await review.run(['--claude', '--codex'])
    expect(run.status).toBe(5)
    expect(review.reviews()).toContain('## Claude Review\n\nFine.')
    expect(review.reviews()).toContain('the program "codex" is not on the PATH')
  })

  it('counts a text before a status other than 0 as a review, and says so', async () => {
    review.program('claude', 'cat >/dev/null; echo Half.; exit 3')
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(review.reviews()).toContain('nonzero_exit: {"claude":3}')
  })

  it('exits with 4 where no reviewer can run, and writes nothing', async () => {
    const run = await review.review(['run', '--phase-dir', PHASE, '--offline'])
    expect(run.status).toBe(4)
    expect(run.stderr).toContain('no reviewer can run')
    expect(existsSync(join(review.machine.project, PHASE, '03-REVIEWS.md'))).toBe(false)
  })

  it('keeps the document before as .bak, and the first one only', async () => {
    review.program('claude', 'cat >/dev/null; echo New.')
    review.file(`${PHASE}/03-REVIEWS.md`, 'first\n')
    await review.run(['--claude'])
    await review.run(['--claude'])
    expect(readFileSync(join(review.machine.project, PHASE, '03-REVIEWS.md.bak'), 'utf8')).toBe('first\n')
    expect(review.reviews()).toContain('New.')
  })

  it('refuses a flag that no lane has, with the flags there are', async () => {
    const run = await review.run(['--clade'])
    expect(run.status).toBe(2)
    expect(run.stderr).toContain('no reviewer lane has the flag "--clade"')
  })
})

describe('gsd review plan', () => {
  it('shows program, arguments and time, and runs nothing', async () => {
    review.program('claude', 'touch "$HOME/ran"')
    const run = await review.review(['plan', '--phase-dir', PHASE, '--claude', '--ollama'])
    expect(run.status).toBe(0)
    expect(run.stdout).toContain('runs claude --effort high -p -')
    expect(run.stdout).toContain('posts to http://localhost:11434/v1/chat/completions')
    expect(run.stdout).toContain('sends to http://localhost:11434')
    expect(existsSync(join(review.machine.home, 'ran'))).toBe(false)
  })
})

describe('gsd review lanes', () => {
  it('lists the twelve lanes and probes only when asked', async () => {
    review.program('kimi', 'touch "$HOME/ran"; echo "--output-format" >&2')
    const rows = (run: { json: { data: Readonly<Record<string, unknown>> } }) =>
      run.json.data['lanes'] as { slug: string; available: boolean | null }[]
    const listed = rows(await review.review(['lanes', '--json']))
    expect(listed).toHaveLength(12)
    expect(listed.every(({ available }) => available === null)).toBe(true)
    expect(existsSync(join(review.machine.home, 'ran'))).toBe(false)
    const probed = rows(await review.review(['lanes', '--probe', '--offline', '--json']))
    expect(probed.filter(({ available }) => available === true).map(({ slug }) => slug)).toContain('kimi-code')
  })
})

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PHASE, useReview } from './review-fixture.ts'

const review = useReview()

/** Whether a process still runs. */
const runs = (pid: string): boolean => {
  try {
    process.kill(Number(pid), 0)
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

const home = (name: string): string => join(review.machine.home, name)
const textOf = (name: string): string => readFileSync(home(name), 'utf8').trim()

/** Folders for runs go into one of their own, so that what is left is seen. */
const temporary = () => ({ TMPDIR: join(review.machine.root, 'tmp') })

describe('a program that a lane runs', () => {
  it('is ended when it prints and then hangs, and what it printed is no review', async () => {
    review.program('claude', 'echo "Half a review."; sleep 600')
    const run = await review.run(['--claude', '--timeout', '1'])
    expect(run.status).toBe(5)
    expect(review.reviews()).toContain('it did not end within 1 s and was ended')
    expect(review.reviews()).toContain('reviewers: []')
  })

  it('is ended when it ignores SIGTERM', async () => {
    review.program('claude', `trap '' TERM; echo $$ > "$HOME/pid"; while :; do sleep 1; done`)
    expect((await review.run(['--claude', '--timeout', '1'])).status).toBe(5)
    expect(runs(textOf('pid'))).toBe(false)
  })

  it('leaves no process behind that it forked, whether it ends itself or not', async () => {
    review.program('claude', 'cat >/dev/null; sleep 600 & echo $! > "$HOME/child"; echo Fine.')
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(runs(textOf('child'))).toBe(false)
    review.program('claude', 'sleep 600 & echo $! > "$HOME/child"; wait')
    expect((await review.run(['--claude', '--timeout', '1'])).status).toBe(5)
    expect(runs(textOf('child'))).toBe(false)
  })

  it('can read its prompt late, and never', async () => {
    const plan = `# Plan\n\n${'A long line of a plan.\n'.repeat(20_000)}`
    review.file(`${PHASE}/03-01-PLAN.md`, plan)
    review.program('claude', 'sleep 1; wc -c; echo Late.')
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(Number(/^(\d+)$/m.exec(review.reviews())?.[1])).toBeGreaterThan(plan.length)
    review.program('claude', 'echo "Did not read."')
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(review.reviews()).toContain('Did not read.')
  })

  it('gives 8 MiB of a review of 400 MB, and memory does not grow with it', async () => {
    review.program('claude', 'cat >/dev/null; head -c ${SIZE} /dev/zero | tr "\\0" "a"')
    const measure = join(import.meta.dirname, '../bench/peak-memory.js')
    const peakWith = async (size: number): Promise<number> => {
      const run = await review.run(['--claude'], {
        SIZE: String(size),
        NODE_OPTIONS: `--import=${measure}`,
        GSD_BENCH_PEAK: home('peak'),
      })
      expect(run.status).toBe(0)
      return Number(textOf('peak'))
    }
    const [small, large] = [await peakWith(100_000_000), await peakWith(400_000_000)]
    expect(review.reviews()).toContain('> The output was too long; its end is missing.')
    expect(statSync(join(review.machine.project, PHASE, '03-REVIEWS.md')).size).toBeLessThan(9 * 1024 * 1024)
    // The collector runs when it likes; a run that kept its output would need 300 MB more.
    expect(large - small).toBeLessThan(64 * 1024)
  })

  it('can print bytes that are not UTF-8', async () => {
    review.program('claude', `cat >/dev/null; printf 'Bad \\377\\376 byte.'`)
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(review.reviews()).toContain('Bad \uFFFD\uFFFD byte.')
  })

  it('cannot move the cursor of who reads the document', async () => {
    review.program('claude', `cat >/dev/null; printf 'Red \\033[31mtext\\033[0m \\007 bell.'`)
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(review.reviews()).toContain('Red text \\u0007 bell.')
  })

  it('that writes no answer file fails with that reason', async () => {
    review.program('codex', 'cat >/dev/null; echo "only noise"')
    expect((await review.run(['--codex'])).status).toBe(5)
    expect(review.reviews()).toContain('it wrote no answer file')
  })

  it('is not taken from the reviewed project by a relative entry of the PATH', async () => {
    review.file('qwen', '#!/bin/sh\ntouch "$HOME/ran"\n')
    const run = await review.run(['--qwen'], { PATH: `.:${review.env['PATH'] ?? ''}` })
    expect(run.status).toBe(5)
    expect(existsSync(home('ran'))).toBe(false)
  })

  it('is named in the document when the working tree changed meanwhile', async () => {
    const { execFileSync } = await import('node:child_process')
    execFileSync('git', ['init', '-q', review.machine.project])
    review.program('claude', 'cat >/dev/null; echo x > edited.txt; echo Fine.')
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(review.reviews()).toContain('> The working tree changed while the reviews ran')
    review.program('claude', 'cat >/dev/null; echo Fine.')
    expect((await review.run(['--claude'])).status).toBe(0)
    expect(review.reviews()).not.toContain('The working tree changed')
  })

  it('leaves no folder of its run, which only its user can read', async () => {
    const { mkdirSync } = await import('node:fs')
    mkdirSync(temporary().TMPDIR)
    review.program('cursor-agent', 'stat -c %a "$TMPDIR"/gsd-review-* > "$HOME/mode"; echo Fine.')
    expect((await review.run(['--cursor'], temporary())).status).toBe(0)
    expect(textOf('mode')).toBe('700')
    expect(readdirSync(temporary().TMPDIR)).toEqual([])
  })

  it('gets its text of opencode from the JSON lines, or the reason to stop', async () => {
    const lines = ['{"type":"step_start","part":{}}', 'not json', '{"type":"text","part":{"text":"From opencode."}}']
    review.program('opencode', `cat >/dev/null; cat <<'END'\n${lines.join('\n')}\nEND`)
    expect((await review.run(['--opencode'])).status).toBe(0)
    expect(review.reviews()).toContain('## OpenCode Review\n\nFrom opencode.\n')
    review.program('opencode', `cat >/dev/null; echo '{"type":"step_finish","part":{"reason":"length"}}'`)
    expect((await review.run(['--opencode'])).status).toBe(5)
    expect(review.reviews()).toContain('opencode stopped: length')
  })

  it('gets its text of Antigravity from the session that began, where nothing was printed', async () => {
    const logs = '.system_generated/logs'
    const session = (name: string): string => `"$HOME/.gemini/antigravity-cli/brain/${name}/${logs}"`
    const row = (type: string, content: string): string => `echo '${JSON.stringify({ type, content })}'`
    const write = (name: string): string =>
      `mkdir -p ${session(name)}; (${row('USER_INPUT', 'Review this.')}; ${row('PLANNER_RESPONSE', `From ${name}.`)}; ${row('GENERIC', 'A tool.')}) > ${session(name)}/transcript.jsonl`
    review.program('agy', write('first'))
    expect((await review.run(['--agy'])).status).toBe(0)
    expect(review.reviews()).toContain('## Antigravity Review\n\nFrom first.\n')
    review.program('agy', 'true')
    expect((await review.run(['--agy'])).status).toBe(5)
    review.program('agy', `${write('second')}; ${write('third')}`)
    expect((await review.run(['--agy'])).status).toBe(5)
    review.program('agy', `${write('fourth')}; echo Printed.`)
    expect((await review.run(['--agy'])).status).toBe(0)
    expect(review.reviews()).toContain('Printed.')
  })

  it('gives no secret of the environment to the document', async () => {
    review.program(
      'claude',
      'cat >/dev/null; echo "key $MY_API_KEY and $GH"; echo "$MY_API_KEY" >&2; exit ${STATUS:-0}',
    )
    const secrets = { MY_API_KEY: 'very-secret-value', GH: `ghp_${'a1'.repeat(18)}` }
    const run = await review.run(['--claude', '--json'], secrets)
    expect(run.status).toBe(0)
    expect(review.reviews()).toContain('key … and ghp_…')
    for (const text of [review.reviews(), run.stdout, run.stderr])
      for (const secret of Object.values(secrets)) expect(text).not.toContain(secret)
  })
})

describe('an interrupt', () => {
  it('ends the lane that runs, writes nothing and exits with 130', async () => {
    const { mkdirSync } = await import('node:fs')
    mkdirSync(temporary().TMPDIR)
    review.program('claude', 'echo $$ > "$HOME/pid"; sleep 600')
    const child = review.machine.start(['review', 'run', '--phase-dir', PHASE, '--claude'], {
      env: { ...review.env, ...temporary() },
    })
    while (!existsSync(home('pid')) || textOf('pid') === '') await new Promise((next) => setTimeout(next, 20))
    child.kill('SIGINT')
    const status = await new Promise((next) => child.once('exit', next))
    expect(status).toBe(130)
    expect(review.reviews()).toBe('')
    expect(runs(textOf('pid'))).toBe(false)
    expect(readdirSync(temporary().TMPDIR)).toEqual([])
  })
})

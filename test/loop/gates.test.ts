import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { evaluateGates, evaluatePredicate, type GateOptions, registerQuery } from '../../src/loop.ts'
import type { Gate, GateCheck } from '../../src/manifest/manifest.ts'
import { writeBundle } from '../overlay/test-machine.ts'
import { feature, flag } from '../registry/manifests.ts'
import { useLoop } from './loop-fixture.ts'

const loop = useLoop()

const check = async (predicate: unknown, options: GateOptions = {}) =>
  evaluatePredicate(await loop.load(), predicate, { ...loop.options, ...options })

const gate = (body: GateCheck, rest: Partial<Gate> = {}): Gate => ({
  point: 'plan:post',
  check: body,
  blocking: true,
  onError: 'halt',
  ...rest,
})

const gates = async (options: GateOptions = {}) =>
  evaluateGates(await loop.load(), 'plan:post', { ...loop.options, ...options })

const PHASE = '.planning/phases/01-setup'

describe('artifact-exists', () => {
  const predicate = { kind: 'artifact-exists', artifact: 'PLAN.md' }

  it.each([
    ['has its name', `${PHASE}/PLAN.md`, false],
    ['ends in a dash and its name', `${PHASE}/01-02-PLAN.md`, false],
    ['lies in the project', 'PLAN.md', false],
    ['only ends in its name', `${PHASE}/MYPLAN.md`, true],
    ['lies in a folder below', `${PHASE}/deep/PLAN.md`, true],
  ])('looks for a file that %s', async (_title, path, block) => {
    loop.file(path, '')
    expect(await check(predicate, { phaseDir: PHASE })).toMatchObject({ block })
  })

  it('finds an artefact with folders in front', async () => {
    loop.file('.planning/SORTS.md', '')
    expect(await check({ kind: 'artifact-exists', artifact: '.planning/SORTS.md' })).toMatchObject({ block: false })
  })

  it.each([
    ['a folder', (path: string) => void mkdirSync(path, { recursive: true })],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    ['a link to nothing', (path: string) => symlinkSync('/nowhere', path)],
    ['a link that leads out of the project', (path: string) => symlinkSync('/etc/hostname', path)],
  ])('does not take %s for a file', async (_title, make) => {
    loop.file(`${PHASE}/other.md`, '')
    make(join(loop.project, PHASE, 'PLAN.md'))
    expect(await check(predicate, { phaseDir: PHASE })).toMatchObject({ block: true })
  })

  it('does not look into a phase folder that is a link out of the project', async () => {
    mkdirSync(join(loop.project, '.planning/phases'), { recursive: true })
    mkdirSync(join(loop.home, 'outside'))
    writeFileSync(join(loop.home, 'outside/PLAN.md'), '')
    symlinkSync(join(loop.home, 'outside'), join(loop.project, PHASE))
    expect(await check(predicate, { phaseDir: PHASE })).toMatchObject({ block: true })
  })

  it.each(['$(touch x)', '-rf', 'a\nb', '`touch x`', "a'b", '..'])(
    'treats the phase folder %j as a name',
    async (name) => {
      loop.file(join('.planning/phases', name === '..' ? 'p' : name, 'PLAN.md'), '')
      const phaseDir = join(loop.project, '.planning/phases', name === '..' ? 'p' : name)
      expect(await check(predicate, { phaseDir })).toMatchObject({ block: false })
      expect(existsSync(join(loop.project, 'x'))).toBe(false)
    },
  )
})

describe('config-equals', () => {
  it('compares typed values deeply', async () => {
    loop.config({ mode: 'yolo', git: { protected_branches: ['a', 'b'] }, agent_tools: { x: { y: 1, z: 2 } } })
    expect(await check({ kind: 'config-equals', key: 'mode', equals: 'yolo' })).toMatchObject({ block: false })
    expect(await check({ kind: 'config-equals', key: 'git.protected_branches', equals: ['a', 'b'] })).toMatchObject({
      block: false,
    })
    expect(await check({ kind: 'config-equals', key: 'agent_tools', equals: { x: { z: 2, y: 1 } } })).toMatchObject({
      block: false,
    })
    expect(
      await check({ kind: 'config-equals', key: 'workflow.research_before_questions', equals: 'false' }),
    ).toMatchObject({ block: true })
    expect(await check({ kind: 'config-equals', key: 'no.such', equals: null })).toMatchObject({ block: true })
  })
})

describe('artifact-frontmatter-equals', () => {
  const on = async (text: string, field = 'open', equals: unknown = 0) => {
    loop.file(`${PHASE}/01-SECURITY.md`, text)
    return check({ kind: 'artifact-frontmatter-equals', artifact: 'SECURITY.md', field, equals }, { phaseDir: PHASE })
  }

  it.each([
    ['a number', '---\nopen: 0\n---\n', 'open', 0],
    ['a number as it is written', '---\nopen: 0\n---\n', 'open', '0'],
    ['a text as a number', '---\nopen: "0"\n---\n', 'open', 0],
    ['a number with zeros at its end', '---\nversion: 1.10\n---\n', 'version', '1.10'],
    ['a number with zeros behind an alias', '---\na: { x: &v 1.0 }\nb:\n  c: *v\n---\n', 'b.c', '1.0'],
    ['a boolean in another case', '---\ndone: True\n---\n', 'done', 'true'],
    ['a boolean as it is written', '---\ndone: true\n---\n', 'done', 'true'],
    ['a dotted field', '---\na:\n  b:\n    c: x\n---\n', 'a.b.c', 'x'],
    ['a list', '---\nids: [1, 2]\n---\n', 'ids', [1, 2]],
    ['an object', '---\na: { b: 1 }\n---\n', 'a', { b: 1 }],
    ['behind a byte order mark and with CRLF', '\ufeff---\r\nopen: 0\r\n---\r\n', 'open', 0],
    ['an alias', '---\nx: &a 0\nopen: *a\n---\n', 'open', 0],
  ])('passes for %s', async (_title, text, field, equals) => {
    expect(await on(text, field, equals)).toMatchObject({ block: false })
  })

  it('blocks for a number that is written otherwise than the text that is due', async () => {
    expect(await on('---\nversion: 1.10\n---\n', 'version', '1.1')).toMatchObject({ block: true })
    expect(await on('---\nversion: 1.10\n---\n', 'version', 1.1)).toMatchObject({ block: false })
  })

  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghi'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[at]}`).join()}]`),
  ].join('\n')

  it.each([
    ['another value', '---\nopen: 1\n---\n', /must be/],
    ['no frontmatter', '# x\nopen: 0\n', /no frontmatter/],
    ['no such field', '---\nclosed: 0\n---\n', /no field/],
    ['a field of a prototype', '---\na: 1\n---\n', /no field|must be/],
    ['a list', '---\n- open: 0\n---\n', /without fields/],
    ['duplicate keys', '---\nopen: 1\nopen: 0\n---\n', /broken/],
    ['frontmatter without end', '---\nopen: 0\n', /does not end/],
    ['10 MB', `---\nx: ${'y'.repeat(10_000_000)}\nopen: 0\n---\n`, /64 KiB/],
    ['aliases that multiply', `---\n${bomb}\nopen: 0\n---\n`, /broken/],
    ['brackets without end', `---\nx: ${'['.repeat(60_000)}\nopen: 0\n---\n`, /broken/],
    ['a tag for code', '---\nopen: !!js/function "x"\n---\n', /must be|broken/],
  ])('blocks for %s, with the reason', async (_title, text, message) => {
    expect(await on(text, _title === 'a field of a prototype' ? 'constructor.name' : 'open')).toMatchObject({
      block: true,
      message,
    })
  })

  it('blocks where there is no file', async () => {
    expect(await check({ kind: 'artifact-frontmatter-equals', artifact: 'X.md', field: 'a', equals: 1 })).toMatchObject(
      { block: true, details: { artifactNotFound: true } },
    )
  })

  it('reads the first file in the byte order of names', async () => {
    loop.file(`${PHASE}/b-SECURITY.md`, '---\nopen: 1\n---\n')
    expect(await on('---\nopen: 0\n---\n')).toMatchObject({ block: false })
  })
})

describe('command-exit-zero', () => {
  const run = (command: string, options: GateOptions & { timeout?: number } = {}) =>
    check(
      { kind: 'command-exit-zero', command, ...(options.timeout === undefined ? {} : { timeout: options.timeout }) },
      options,
    )

  it('passes with exit status 0 and blocks with another', async () => {
    expect(await run('exit 0')).toMatchObject({ block: false, details: { exitCode: 0 } })
    expect(await run('echo why; exit 3')).toMatchObject({
      block: true,
      message: 'the command ended with 3: why',
      details: { exitCode: 3 },
    })
  })

  it('runs in the project and gets the phase in its environment, whatever it holds', async () => {
    const hostile = '$(touch pasted); `touch pasted` "\''
    const { details } = await run('pwd; printf "%s|%s|%s" "$PHASE_NUMBER" "${PHASE_DIR}" "$PHASE_REQ_IDS"', {
      phaseDir: join(loop.project, hostile),
      phaseNumber: '01',
      phaseReqIds: 'A,B',
    })
    expect(details['output']).toBe(`${loop.project}\n01|${join(loop.project, hostile)}|A,B`)
    expect(existsSync(join(loop.project, 'pasted'))).toBe(false)
  })

  it('reads nothing and has no terminal', async () => {
    expect(await run('test -z "$(cat)" && ! (exec < /dev/tty) 2>/dev/null')).toMatchObject({ block: false })
  })

  it('is ended when its time is over, and blocks', async () => {
    expect(await run('sleep 600', { timeout: 0.3 })).toMatchObject({ block: true, details: { timedOut: true } })
  })

  it('is ended when it ignores SIGTERM', async () => {
    expect(await run(`trap '' TERM; echo $$; while :; do sleep 0.05; done`, { timeout: 0.3 })).toMatchObject({
      block: true,
    })
  })

  it.each([
    ['that it leaves behind', 'sleep 600 & echo $! > pid; exit 0', false],
    ['that outlives its time', 'sleep 600 & echo $! > pid; wait', true],
  ])('takes a program with it %s', async (_title, command, block) => {
    expect(await run(command, { timeout: 1 })).toMatchObject({ block })
    const pid = Number(readFileSync(join(loop.project, 'pid'), 'utf8'))
    const isAlive = (): boolean => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
      } catch {
        return false
      }
    }
    await expect.poll(isAlive).toBe(false)
  })

  it('may print without end: only the last of it is kept, with control characters shown', async () => {
    const { details } = await run('head -c 300000000 /dev/zero | tr "\\0" x; printf "\\033[31mend"; exit 1')
    expect(String(details['output'])).toHaveLength(2000)
    expect(String(details['output'])).toMatch(/x\\u001b\[31mend$/)
  })

  it('ends when the signal does', async () => {
    const controller = new AbortController()
    const running = run('sleep 600', { signal: controller.signal })
    setTimeout(() => controller.abort(), 100)
    await expect(running).rejects.toMatchObject({ code: 'INTERRUPTED' })
  })

  it('of a capability runs only while consent covers it', async () => {
    const manifest = feature('a', { gates: [gate({ predicate: { kind: 'command-exit-zero', command: 'touch ran' } })] })
    writeBundle(loop.home, manifest)
    expect(await gates()).toMatchObject({ blocked: true, gates: [{ verdict: 'error', reason: /never trusted/ }] })
    expect(existsSync(join(loop.project, 'ran'))).toBe(false)
  })

  it('of a trusted capability is not run once a file of it changed', async () => {
    const manifest = feature('a', {
      gates: [gate({ predicate: { kind: 'command-exit-zero', command: '"$GSD_CAP_DIR/check.sh"' } })],
    })
    const dir = loop.trusted(manifest, { 'check.sh': '#!/bin/sh\ntouch ran\n' })
    execFileSync('chmod', ['+x', join(dir, 'check.sh')])
    loop.trusted(manifest, {})
    const registry = await loop.load()
    expect(await evaluateGates(registry, 'plan:post', loop.options)).toMatchObject({
      blocked: false,
      gates: [{ verdict: 'pass' }],
    })
    writeFileSync(join(dir, 'check.sh'), '#!/bin/sh\ntouch worse\n')
    expect(await evaluateGates(registry, 'plan:post', loop.options)).toMatchObject({
      blocked: true,
      gates: [{ verdict: 'error', reason: /changed since/ }],
    })
    expect(existsSync(join(loop.project, 'worse'))).toBe(false)
  })
})

describe('a predicate', () => {
  it.each([
    [null, /object/],
    [[], /object/],
    [{}, /unknown kind/],
    [{ kind: 'artifact-exist', artifact: 'x' }, /unknown kind/],
    [{ kind: 'artifact-exists' }, /needs "artifact"/],
    [{ kind: 'artifact-exists', artifact: 4 }, /not a text/],
    [{ kind: 'config-equals', key: 'mode' }, /needs "equals"/],
    [{ kind: 'command-exit-zero', command: 'x'.repeat(5000) }, /4096/],
    [{ kind: 'command-exit-zero', command: 'x', timeout: -1 }, /seconds/],
    [{ kind: 'command-exit-zero', command: 'x', timeout: 601 }, /seconds/],
  ])('%j is refused', async (predicate, message) => {
    await expect(check(predicate)).rejects.toMatchObject({ code: 'USAGE_BAD_VALUE', message })
  })
})

describe('the gates of a point', () => {
  it('stop the loop where a blocking one blocks, and not where another does', async () => {
    const absent = { predicate: { kind: 'artifact-exists', artifact: 'NO.md' } } as const
    loop.global(feature('a', { gates: [gate(absent, { blocking: false })] }))
    expect(await gates()).toMatchObject({
      blocked: false,
      gates: [{ capability: 'a', verdict: 'block', blocking: false }],
    })
    loop.global(feature('b', { gates: [gate(absent)] }))
    expect(await gates()).toMatchObject({
      blocked: true,
      gates: [{ capability: 'a' }, { capability: 'b', verdict: 'block' }],
    })
    expect(await gates({ only: 'a' })).toMatchObject({ blocked: false, gates: [{ capability: 'a' }] })
    await expect(gates({ only: 'c' })).rejects.toMatchObject({ code: 'USAGE_BAD_VALUE' })
  })

  it('hand an agent verdict on as advice', async () => {
    loop.global(
      feature('a', {
        gates: [gate({ agentVerdict: { ref: { agent: 'x' }, prompt: 'Is it done?' } }, { blocking: false })],
      }),
    )
    expect(await gates()).toMatchObject({
      blocked: false,
      gates: [{ verdict: 'advisory', ref: { agent: 'x' }, prompt: 'Is it done?' }],
    })
  })

  it('defer a query that nobody here answers', async () => {
    loop.global(feature('a', { gates: [gate({ query: 'ui.safety-gate' })] }))
    expect(await gates()).toMatchObject({
      blocked: false,
      gates: [{ verdict: 'deferred', reason: /host answers "ui.safety-gate"/ }],
    })
  })

  it('are left out where their key is false', async () => {
    loop.global(feature('a', { config: { 'a.x': flag(false) }, gates: [gate({ query: 'q' }, { when: 'a.x' })] }))
    expect(await gates()).toMatchObject({ gates: [] })
  })

  it('keep their order, at most four at a time', async () => {
    let running = 0
    let most = 0
    const remove = registerQuery('slow', async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return { block: false, message: '' }
    })
    for (let at = 0; at < 12; at++) loop.global(feature(`c${at}`, { gates: [gate({ query: 'slow' })] }))
    const { gates: rows } = await gates()
    remove()
    expect(rows.map(({ capability }) => capability)).toEqual(Array.from({ length: 12 }, (_, at) => `c${at}`).sort())
    expect(most).toBe(4)
  })
})

describe('a query that is registered', () => {
  it.each([
    ['blocks', () => ({ block: true, message: 'no' }), { blocked: true, gates: [{ verdict: 'block', reason: 'no' }] }],
    [
      'passes',
      async () => ({ block: false, message: 'yes', details: { n: 1 } }),
      { blocked: false, gates: [{ verdict: 'pass', details: { n: 1 } }] },
    ],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      { blocked: true, gates: [{ verdict: 'error', reason: /broken/ }] },
    ],
    ['says nothing', () => undefined as never, { blocked: true, gates: [{ verdict: 'error' }] }],
  ])('and %s decides the verdict', async (_title, answer, expected) => {
    loop.global(feature('a', { gates: [gate({ query: 'my.query' })] }))
    const remove = registerQuery('my.query', answer)
    expect(await gates()).toMatchObject(expected)
    remove()
  })

  it('and errs is a warning where its gate skips errors', async () => {
    loop.global(feature('a', { gates: [gate({ query: 'my.query' }, { onError: 'skip' })] }))
    const remove = registerQuery('my.query', () => Promise.reject(new Error('broken')))
    expect(await gates()).toMatchObject({ blocked: false, warnings: [{ code: 'OVERLAY_GATE_ERROR', id: 'a' }] })
    remove()
  })

  it('gets the phase', async () => {
    loop.global(feature('a', { gates: [gate({ query: 'my.query' })] }))
    const remove = registerQuery('my.query', ({ query, phaseNumber, phaseReqIds, project }) => ({
      block: false,
      message: [query, phaseNumber, phaseReqIds, project].join('|'),
    }))
    expect(await gates({ phaseNumber: 3, phaseReqIds: ['A', 'B'] })).toMatchObject({
      gates: [{ reason: `my.query|3|A,B|${loop.project}` }],
    })
    remove()
  })

  it('is refused where it is no function', () => {
    expect(() => registerQuery('x', 4 as never)).toThrow(expect.objectContaining({ code: 'USAGE_BAD_VALUE' }))
  })
})

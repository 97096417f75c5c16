import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startHttpServer, type TestServer } from '../helpers/servers.ts'
import { PHASE, useReview } from './review-fixture.ts'

const review = useReview()

const LANE = {
  slug: 'second-look',
  flags: ['--second-look'],
  transport: 'spawn',
  probe: { kind: 'command-exists', binary: 'second-look' },
  invoke: {
    binary: 'second-look',
    args: ['-'],
    promptChannel: 'stdin',
    outputChannel: 'stdout',
    modelArg: null,
    effortChannel: 'none',
  },
  timeoutFloorMs: 60_000,
  emptyOutput: 'stub-with-stderr',
  reviewsSection: 'Second look',
  evidenceClass: 'source-grounded',
  requiresBinaries: [],
  promptBudgetKey: null,
  handler: null,
}

const manifestWith = (reviewer: object, config: object = {}) => ({
  id: 'second-look',
  role: 'reviewer',
  version: '1.0.0',
  title: 'Second look',
  description: 'A lane for tests.',
  tier: 'full',
  requires: [],
  config,
  reviewer,
})

const writeSource = (reviewer: object, config?: object): string => {
  review.machine.put('source/capability.json', JSON.stringify(manifestWith(reviewer, config)))
  return join(review.machine.root, 'source')
}

const install = async (reviewer: object = LANE, config?: object) => {
  const run = await review.machine.gsd(['capability', 'install', writeSource(reviewer, config), '-p', '--yes'])
  expect(run.stderr).not.toContain('error')
  expect(run.status).toBe(0)
  return run
}

const update = (reviewer: object, config?: object) => {
  writeSource(reviewer, config)
  return review.machine.gsd(['capability', 'update', 'second-look', '-p'])
}

describe('a lane of an overlay', () => {
  beforeEach(() => void review.program('second-look', 'cat >/dev/null; echo Fine.'))

  it('is disclosed at install with what is sent where, and then runs', async () => {
    const { stderr } = await install()
    expect(stderr).toContain('reviewer lane second-look: sends your plans to a program')
    expect(stderr).toContain('runs second-look -')
    expect((await review.run(['--second-look'])).status).toBe(0)
    expect(review.reviews()).toContain('## Second look Review\n\nFine.')
  })

  it('does not run without the consent of this user', async () => {
    await install()
    const grants = join(review.machine.home, '.gsd/grants.json')
    writeFileSync(grants, JSON.stringify({ schema: 1, grants: {} }), { mode: 0o600 })
    expect((await review.run(['--second-look'])).status).not.toBe(0)
    expect(review.reviews()).not.toContain('Fine.')
  })

  it('does not run when its manifest was changed on disk', async () => {
    await install()
    const file = join(review.machine.project, '.gsd/capabilities/second-look/capability.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"binary":"second-look","args"', '"binary":"other","args"'))
    review.program('other', 'touch "$HOME/ran"; echo Fine.')
    expect((await review.run(['--second-look'])).status).not.toBe(0)
    expect(existsSync(join(review.machine.home, 'ran'))).toBe(false)
  })

  it.each([
    ['another binary', { invoke: { ...LANE.invoke, binary: 'other' } }],
    ['another argument', { invoke: { ...LANE.invoke, args: ['--yolo', '-'] } }],
    ['another channel for the prompt', { invoke: { ...LANE.invoke, promptChannel: 'none' } }],
    ['another channel for the answer', { invoke: { ...LANE.invoke, outputChannel: 'file-arg', outputArg: '-o' } }],
    ['a variable', { invoke: { ...LANE.invoke, env: { NODE_OPTIONS: '--require=./x.js' } } }],
    ['another probe', { probe: { kind: 'command-capability', binary: 'sh', needle: 'x', timeoutMs: 100 } }],
  ])('asks again for %s', async (_what, changed) => {
    await install()
    const run = await update({ ...LANE, ...changed })
    expect(run.status).toBe(3)
    expect(run.stderr).toContain('reviewer lane second-look')
  })
})

describe('a lane of an overlay over the network', () => {
  let server: TestServer
  beforeEach(async () => {
    server = await startHttpServer((_request, response) => {
      response.end(JSON.stringify({ data: [], choices: [{ message: { content: 'Fine.' } }] }))
    })
  })
  afterEach(() => server.close())

  const KEY = 'review.second_look_host'
  const config = { [KEY]: { type: 'string', default: '', description: 'The host.' } }
  const lane = (host: string) => ({
    ...LANE,
    transport: 'openai-http',
    probe: { kind: 'http-reachable', hostConfigKey: KEY, path: '/v1/models', timeoutMs: 2000 },
    invoke: {
      hostConfigKey: KEY,
      defaultHost: host,
      path: '/v1/chat/completions',
      modelDiscovery: 'first-from-models-endpoint',
      fallbackModel: 'm',
      effortChannel: 'none',
    },
    handler: 'openai-compatible',
  })

  it('sends to the host that was agreed to, and to no other that the project names', async () => {
    await install(lane(server.url), config)
    expect((await review.run(['--second-look'])).status).toBe(0)
    expect(review.reviews()).toContain('Fine.')
    const before = server.requests.length
    const other = await startHttpServer((_request, response) => response.end('{}'))
    review.config({ review: { second_look_host: other.url } })
    expect((await review.run(['--second-look'])).status).toBe(5)
    expect(review.reviews()).toContain(`it would send plans to "${other.url}", but you agreed to "${server.url}"`)
    expect([server.requests.length, other.requests.length]).toEqual([before, 0])
    await other.close()
  })

  it('asks again for another host', async () => {
    await install(lane(server.url), config)
    expect((await update(lane('https://example.org'), config)).status).toBe(3)
  })
})

describe('instances of a lane', () => {
  const instances = (extra: object = {}) => ({
    review: {
      default_reviewers: ['strict', 'calm'],
      reviewer_instances: {
        strict: { cli: 'opencode', model: 'big', agent: 'critic' },
        calm: { cli: 'opencode' },
      },
      ...extra,
    },
  })
  const PROGRAM = 'cat >/dev/null; echo "$@" >> "$HOME/args"; echo \'{"type":"text","part":{"text":"Fine."}}\''

  it('run under a heading each, with their model and agent, and a caveat', async () => {
    review.program('opencode', PROGRAM)
    review.config(instances())
    expect((await review.run([])).status).toBe(0)
    expect(readFileSync(join(review.machine.home, 'args'), 'utf8')).toBe(
      'run --model big --agent critic --variant high --format json -\nrun --variant high --format json -\n',
    )
    expect(review.reviews()).toContain('## OpenCode Review (strict)')
    expect(review.reviews()).toContain('## OpenCode Review (calm)')
    expect(review.reviews()).toContain('> Several of these reviews come from the lane opencode')
  })

  it('make an unknown reviewer an error, which is a warning without them', async () => {
    review.program('claude', 'cat >/dev/null; echo Fine.')
    review.config(instances({ default_reviewers: ['claude', 'nobody'] }))
    expect((await review.run([])).status).toBe(2)
    review.config({ review: { default_reviewers: ['claude', 'nobody'] } })
    const run = await review.run([])
    expect(run.status).toBe(0)
    expect(run.stderr).toContain('review.default_reviewers names "nobody"')
  })

  it('and lanes never pass a model that a program would read as an option', async () => {
    review.program('claude', 'cat >/dev/null; echo Fine.')
    review.config({ review: { models: { claude: '--dangerous' } } })
    expect((await review.run(['--claude'])).status).toBe(5)
    expect(review.reviews()).toContain('its model "--dangerous" starts with a hyphen')
  })

  it('run side by side when the configuration says so', async () => {
    // Each waits for the other, so that one after the other never ends.
    const meet = (own: string, other: string) =>
      `cat >/dev/null; touch "$HOME/${own}"; while [ ! -e "$HOME/${other}" ]; do sleep 0.05; done; echo Fine.`
    review.program('claude', meet('a', 'b'))
    review.program('qwen', meet('b', 'a'))
    review.config({ review: { parallel_lanes: true } })
    expect((await review.run(['--claude', '--qwen', '--timeout', '30'])).status).toBe(0)
    expect(existsSync(join(review.machine.project, PHASE, '03-REVIEWS.md'))).toBe(true)
  })
})

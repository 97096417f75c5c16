import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeBundle } from '../overlay/test-machine.ts'
import { feature, flag } from '../registry/manifests.ts'
import { skillsRoot } from '../skills/skills-root.ts'
import { connect } from './client.ts'

interface Rendered {
  readonly hooks: readonly { readonly capability: string; readonly kind: string; readonly text: string }[]
  readonly warnings: readonly { readonly code: string; readonly id?: string }[]
  readonly warnings_total: number
  readonly cursor: string | null
  readonly total: number
}

/** Calls of `render_loop_point` by a client whose server has this home. */
const renderer = async (home: string) => {
  const client = await connect([], home)
  return async (args: Readonly<Record<string, unknown>>) => {
    const result = await client.callTool({ name: 'render_loop_point', arguments: args })
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024)
    return { isError: result.isError, data: result.structuredContent as Rendered }
  }
}

const setDefaults = (home: string, defaults: Readonly<Record<string, unknown>>): void => {
  mkdirSync(join(home, '.gsd'), { recursive: true })
  writeFileSync(join(home, '.gsd/config.json'), JSON.stringify({ schema: 1, defaults }))
}

const owners = ({ data }: { readonly data: Rendered }): readonly string[] =>
  data.hooks.map(({ capability }) => capability)

const contribution = (into: string, inline: string) => ({
  point: 'plan:pre',
  into,
  fragment: { inline },
  produces: [],
  consumes: [],
})

it('hooks that the configuration switches off are not rendered, and a change of it counts at once', async () => {
  const { outside: home } = skillsRoot()
  writeBundle(
    home,
    feature('a', {
      activationKey: 'a.on',
      config: { 'a.on': flag(false) },
      contributions: [contribution('planner', 'from a')],
    }),
  )
  const render = await renderer(home)
  expect(owners(await render({ point: 'plan:pre' }))).not.toContain('a')
  setDefaults(home, { 'a.on': true })
  expect(owners(await render({ point: 'plan:pre' }))).toContain('a')
})

it('a role of another point is an error, and a role of the point leaves only its contributions', async () => {
  const { outside: home } = skillsRoot()
  writeBundle(home, feature('a', { contributions: [contribution('planner', 'from a')] }))
  const render = await renderer(home)
  expect(await render({ point: 'plan:pre', role: 'nobody' })).toMatchObject({ isError: true })
  const { data } = await render({ point: 'plan:pre', role: 'planner' })
  expect(new Set(data.hooks.map(({ kind }) => kind))).toEqual(new Set(['contribution']))
})

it('a gate that is lost and a wrong value are warnings of the answer', async () => {
  const { outside: home } = skillsRoot()
  const gate = { point: 'plan:pre', check: { query: 'b.ok' }, blocking: true, onError: 'halt' } as const
  writeBundle(home, feature('b', { engines: { gsd: '>=99.0.0' }, gates: [gate] }))
  setDefaults(home, { 'workflow.research': 'maybe' })
  const { data } = await (await renderer(home))({ point: 'plan:pre' })
  expect(data.warnings).toMatchObject([{ code: 'OVERLAY_GATE_LOST', id: 'b' }, { code: 'STATE_CONFIG_INVALID' }])
  expect(data.warnings_total).toBe(2)
})

it('a reply keeps its bound whatever is wrong and however long the texts are', async () => {
  const { outside: home } = skillsRoot()
  const gate = { point: 'plan:pre', check: { query: `b.${'x'.repeat(100)}` }, blocking: true, onError: 'halt' } as const
  for (let n = 0; n < 40; n++)
    writeBundle(home, feature(`b${n}`, { engines: { gsd: '>=99.0.0' }, gates: [gate, gate, gate] }))
  writeBundle(home, feature('a', { contributions: [contribution('planner', '"'.repeat(60_000))] }))
  const render = await renderer(home)
  const { data: first } = await render({ point: 'plan:pre', role: 'planner', limit: 200 })
  expect(first.warnings_total).toBeGreaterThan(first.warnings.length)
  const seen = [...owners({ data: first })]
  for (let cursor = first.cursor; cursor !== null;) {
    const { data } = await render({ point: 'plan:pre', role: 'planner', limit: 200, cursor })
    seen.push(...owners({ data }))
    cursor = data.cursor
  }
  expect(seen).toHaveLength(first.total)
  expect(seen).toContain('a')
})

import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TOOLS } from '../../src/mcp/tools.ts'
import { treeOf } from '../helpers/tree.ts'
import { lockNow } from '../skills/lock-now.ts'
import { entry, REAL_INDEX, skillsRoot, skillText } from '../skills/skills-root.ts'
import { connect } from './client.ts'

const REAL_ROOT = dirname(REAL_INDEX)

interface Result {
  readonly structuredContent?: unknown
  readonly content?: unknown
  readonly isError?: unknown
}
const data = (result: Result): Record<string, unknown> => result.structuredContent as Record<string, unknown>
const text = (result: Result): string => (result.content as readonly { text: string }[]).map((it) => it.text).join('\n')
const idsOf = (result: Result): readonly string[] => (data(result)['skills'] as { id: string }[]).map(({ id }) => id)

describe('a session of the official client', () => {
  it('lists the tools, each read-only and with an output schema', async () => {
    const { outside } = skillsRoot()
    const { tools } = await (await connect([REAL_ROOT], outside)).listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
    expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(64 * 1024)
    for (const tool of tools) {
      expect(tool.outputSchema).toMatchObject({ type: 'object' })
      expect(tool.annotations).toMatchObject({ readOnlyHint: true })
    }
  })

  it('searches the real index with filters and pages through all of an answer', async () => {
    const { outside } = skillsRoot()
    const client = await connect([REAL_ROOT], outside)
    const search = (args: Record<string, unknown>) => client.callTool({ name: 'search_skills', arguments: args })
    expect(idsOf(await search({ query: 'brainstorming' }))[0]).toBe('brainstorming')
    const found: string[] = []
    let cursor: unknown
    do {
      const page = await search({ risk: ['offensive'], limit: 10, ...(typeof cursor === 'string' ? { cursor } : {}) })
      expect(data(page)['total']).toBe(27)
      found.push(...idsOf(page))
      cursor = data(page)['cursor']
    } while (cursor !== null)
    expect(new Set(found).size).toBe(27)
  })

  it('keeps each reply below 64 KiB and leads on by a cursor', async () => {
    const { outside } = skillsRoot()
    const client = await connect([REAL_ROOT], outside)
    const page = await client.callTool({ name: 'search_skills', arguments: { limit: 200 } })
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(64 * 1024)
    expect(data(page)).toMatchObject({ total: 1988, truncated: true, cursor: expect.stringMatching(/^o\d+$/) })
  })

  it('gives a body once, in parts that join to the whole', async () => {
    const room = skillsRoot()
    const body = skillText('a', 'Long.', '日本語 🎉 "quoted" \u0001\n'.repeat(6000))
    room.skill('a', body)
    room.index([entry('a')])
    const client = await connect([room.root], room.outside)
    let joined = ''
    let offset: unknown = 0
    let parts = 0
    do {
      const result = await client.callTool({
        name: 'get_skill',
        arguments: { id: 'a', body: true, offset, length: 9_001 },
      })
      const range = data(result)['body'] as Record<string, unknown>
      expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024)
      expect(text(result)).not.toContain('日本語')
      expect(data(result)).toMatchObject({
        untrusted: true,
        sha512: createHash('sha512').update(body).digest('hex'),
      })
      joined += String(range['text'])
      offset = range['next_offset']
      parts += 1
    } while (offset !== null)
    expect(joined).toBe(body)
    expect(parts).toBeGreaterThan(10)
  })

  it('returns no more than fits by default, for any characters', async () => {
    const room = skillsRoot()
    room.skill('a', skillText('a', 'Controls.', '\u0001'.repeat(100_000)))
    room.index([entry('a')])
    const client = await connect([room.root], room.outside)
    const result = await client.callTool({ name: 'get_skill', arguments: { id: 'a', body: true } })
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(64 * 1024)
    expect(data(result)['body']).toMatchObject({ truncated: true })
  })

  it('lists and reads other files of a skill, and nothing outside of it', async () => {
    const room = skillsRoot()
    room.skill('a')
    room.put('skills/a/notes/more.md', 'more')
    room.put('skills/b/SKILL.md', skillText('b'))
    writeFileSync(join(room.outside, 'secret.md'), 'the secret')
    room.index([entry('a'), entry('b')])
    const client = await connect([room.root], room.outside)
    const files = await client.callTool({ name: 'list_skill_files', arguments: { id: 'a' } })
    expect(data(files)['files']).toEqual([
      { path: 'SKILL.md', size: skillText('a').length },
      { path: 'notes/more.md', size: 4 },
    ])
    const read = await client.callTool({ name: 'read_skill_file', arguments: { id: 'a', path: 'notes/more.md' } })
    expect(data(read)['body']).toMatchObject({ text: 'more', truncated: false })
    symlinkSync(join(room.outside, 'secret.md'), join(room.root, 'skills/a/link.md'))
    for (const path of [
      '../b/SKILL.md',
      '/etc/passwd',
      'notes',
      'link.md',
      'notes/../SKILL.md',
      'a\\b',
      'none.md',
      '',
    ]) {
      const refused = await client.callTool({ name: 'read_skill_file', arguments: { id: 'a', path } })
      expect(refused.isError, path).toBe(true)
      expect(text(refused)).not.toContain('secret\n')
      expect(text(refused)).not.toContain(room.root)
    }
  })

  it('gives an entry of a hostile size in a reply that fits, and the others with it', async () => {
    const room = skillsRoot()
    const huge = '\u0001'.repeat(20_000)
    const fields = { name: huge, description: huge, category: huge, risk: huge, source: huge, date_added: huge }
    room.index([entry(huge, { ...fields, path: 'skills/x', tags: Array.from({ length: 20 }, () => huge) }), entry('b')])
    const client = await connect([room.root], room.outside)
    const found: string[] = []
    let cursor: unknown
    do {
      const args = typeof cursor === 'string' ? { cursor } : {}
      const page = await client.callTool({ name: 'search_skills', arguments: args })
      expect(page.isError, text(page)).toBeUndefined()
      expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(64 * 1024)
      found.push(...idsOf(page))
      cursor = data(page)['cursor']
    } while (cursor !== null)
    expect(found).toHaveLength(2)
  })

  it('sees an index that changed', async () => {
    const room = skillsRoot()
    room.index([entry('a')])
    const client = await connect([room.root], room.outside)
    const count = async (): Promise<unknown> => data(await client.callTool({ name: 'search_skills' }))['total']
    expect(await count()).toBe(1)
    room.index([entry('a'), entry('b')])
    expect(await count()).toBe(2)
  })

  it('refuses a body that differs from the lock, by name, and verify_catalog names it', async () => {
    const room = skillsRoot()
    room.skill('a')
    room.skill('b')
    room.index([entry('a'), entry('b')])
    await lockNow(room)
    const client = await connect([room.root], room.outside)
    const verify = async () => data(await client.callTool({ name: 'verify_catalog' }))
    expect(await verify()).toMatchObject({ verified: true, locked: true, skills: 2, changed: [] })
    appendFileSync(join(room.root, 'skills/b/SKILL.md'), 'and more')
    expect(await verify()).toMatchObject({ verified: false, changed: ['b'] })
    const refused = await client.callTool({ name: 'get_skill', arguments: { id: 'b', body: true } })
    expect(text(refused)).toContain('INTEGRITY_SKILL_CHANGED: skill "b"')
    const kept = await client.callTool({ name: 'get_skill', arguments: { id: 'a', body: true } })
    expect(kept.isError).toBeUndefined()
  })

  it('composes a stack of exact ids within a policy', async () => {
    const room = skillsRoot()
    room.skill('a')
    room.skill('b')
    room.index([entry('a'), entry('b', { risk: 'offensive' })])
    const client = await connect([room.root], room.outside)
    const compose = async (args: Record<string, unknown>) =>
      data(await client.callTool({ name: 'compose_stack', arguments: args }))
    expect(await compose({ ids: ['a'] })).toMatchObject({ allowed: true, stack: { skills: [{ id: 'a' }] } })
    expect(await compose({ ids: ['a', 'b', 'A'], policy: { deny_risk: ['offensive'] } })).toMatchObject({
      allowed: false,
      stack: { skills: [{ id: 'a' }] },
      findings: [
        { id: 'b', code: 'POLICY_SKILL_STACK' },
        { id: 'A', code: 'STATE_NO_SKILL' },
      ],
    })
  })

  it('shows capabilities and the loop from the registry', async () => {
    const { outside } = skillsRoot()
    const client = await connect([], outside)
    const list = data(await client.callTool({ name: 'list_capabilities', arguments: { limit: 3 } }))
    expect(list).toMatchObject({ truncated: true, cursor: 'o3' })
    const [first] = list['capabilities'] as { id: string }[]
    const one = await client.callTool({ name: 'inspect_capability', arguments: { id: first?.id } })
    expect(JSON.parse((data(one)['manifest'] as { text: string }).text)).toMatchObject({ id: first?.id })
    const point = await client.callTool({ name: 'render_loop_point', arguments: { point: 'plan:pre' } })
    expect(data(point)).toMatchObject({ point: 'plan:pre', untrusted: true })
  })

  it.each([
    ['search_skills', { query: 7 }],
    ['search_skills', { limit: 0 }],
    ['search_skills', { cursor: 'x' }],
    ['search_skills', { colour: 'red' }],
    ['search_skills', { since: 'yesterday' }],
    ['get_skill', {}],
    ['get_skill', { id: '__proto__' }],
    ['get_skill', { id: 'brainstorming', offset: -1 }],
    ['render_loop_point', { point: 'nowhere' }],
    ['compose_stack', { ids: 'a' }],
  ])('answers %s with %j as an error in words', async (name, args) => {
    const { outside } = skillsRoot()
    const client = await connect([REAL_ROOT], outside)
    const result = await client.callTool({ name, arguments: args })
    expect(result.isError).toBe(true)
    expect(text(result)).toMatch(/^[A-Z_]+: /)
  })

  it('writes nothing, in the root or in the home', async () => {
    const room = skillsRoot()
    room.skill('a')
    room.index([entry('a')])
    const before = [treeOf(room.root), treeOf(room.outside)]
    const client = await connect([room.root], room.outside)
    for (const { name } of TOOLS)
      await client.callTool({ name, arguments: { id: 'a', point: 'plan:pre', ids: ['a'], path: 'SKILL.md' } })
    await client.callTool({ name: 'search_skills', arguments: { query: 'a' } })
    await client.callTool({ name: 'list_capabilities' })
    await client.callTool({ name: 'verify_catalog' })
    expect([treeOf(room.root), treeOf(room.outside)]).toEqual(before)
    expect(readFileSync(join(room.root, 'skills_index.json'), 'utf8')).toContain('"a"')
  })

  it('serves two clients of one root at once', async () => {
    const room = skillsRoot()
    room.index([entry('a')])
    const [one, two] = await Promise.all([connect([room.root], room.outside), connect([room.root], room.outside)])
    const found = await Promise.all([one, two].map((client) => client.callTool({ name: 'search_skills' })))
    expect(found.map((it) => idsOf(it))).toEqual([['a'], ['a']])
  })
})

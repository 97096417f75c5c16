import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { connect } from '../mcp/client.ts'
import { REAL_INDEX, skillsRoot } from '../skills/skills-root.ts'

it('the official MCP client searches the real index of the built program and gets one skill', async () => {
  const { outside } = skillsRoot()
  const client = await connect([dirname(REAL_INDEX)], outside)
  const found = await client.callTool({ name: 'search_skills', arguments: { query: 'brainstorming', limit: 1 } })
  expect(found.structuredContent).toMatchObject({ skills: [{ id: 'brainstorming' }], truncated: true })
  const one = await client.callTool({ name: 'get_skill', arguments: { id: 'brainstorming' } })
  expect(one.structuredContent).toMatchObject({ id: 'brainstorming', path: 'skills/brainstorming', untrusted: true })
})

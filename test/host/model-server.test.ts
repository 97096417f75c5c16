import { expect, test } from 'vitest'
import { startModelServer } from '../../scripts/model-server.js'

const schema = {
  type: 'object',
  properties: { command: { type: 'string' }, quiet: { type: 'boolean' } },
  required: ['command', 'quiet'],
}

const post = async (url: string, body: unknown): Promise<string> =>
  (await fetch(url, { method: 'POST', headers: { connection: 'close' }, body: JSON.stringify(body) })).text()

test.each([
  ['/v1/messages', { tools: [{ name: 'Bash', input_schema: schema }], messages: [] }, '"tool_use"'],
  ['/v1/responses', { tools: [{ type: 'function', name: 'shell', parameters: schema }], input: [] }, '"function_call"'],
  [
    '/v1/chat/completions',
    { tools: [{ function: { name: 'bash', parameters: schema } }], messages: [] },
    '"tool_calls"',
  ],
])('the model on loopback calls the shell once over %s, with every required argument', async (path, body, kind) => {
  for (const stream of [true, false]) {
    const model = await startModelServer({ mcpTool: 'zebra_check' })
    try {
      const first = await post(model.url + path, { ...body, stream })
      expect(first).toContain(kind)
      expect(first).toContain('quiet')
      const second = await post(model.url + path, { ...body, stream })
      expect(second).toContain('checked')
      expect(second).not.toContain(kind)
      expect(model.requests).toHaveLength(2)
    } finally {
      model.close()
    }
  }
})

/**
 * A model on loopback that speaks the three protocols of coding agents. It calls the shell tool and the tool to check once
 * each, as soon as it is offered them, and answers everything else with a text. It keeps what it was sent.
 */
import { createServer } from 'node:http'

/** @typedef {{ name: string, namespace?: string, schema: { properties?: Record<string, { type?: string }>, required?: string[] } }} Tool */
/** @typedef {{ name: string, namespace?: string | undefined, input: Record<string, unknown> }} Call */
/** @typedef {Record<string, any>} Body */

const SHELL_TOOLS = ['Bash', 'bash', 'shell', 'shell_command', 'exec_command', 'run_shell_command']

/** @param {{ mcpTool: string }} options part of the name of the tool to check */
export const startModelServer = async ({ mcpTool }) => {
  /** @type {string[]} */
  const requests = []
  const called = new Set()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part) => (text += part))
    request.on('end', () => {
      requests.push(text)
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const protocol = Object.entries(PROTOCOLS).find(([ending]) => path.endsWith(ending))?.[1]
      if (protocol === undefined || request.method !== 'POST') return sendJson(response, otherAnswer(path))
      /** @type {Body} */
      const body = JSON.parse(text)
      const calls = callsFor(protocol.tools(body), mcpTool).filter(({ name }) => !called.has(name))
      for (const { name } of calls) called.add(name)
      if (body['stream'] !== true) return sendJson(response, protocol.whole(calls))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const [event, data] of protocol.events(calls))
        response.write(`${event === null ? '' : `event: ${event}\n`}data: ${data}\n\n`)
      response.end()
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() }
}

/** @param {import('node:http').ServerResponse} response @param {unknown} value */
const sendJson = (response, value) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** @param {string} path */
const otherAnswer = (path) => {
  if (path.endsWith('/count_tokens')) return { input_tokens: 1 }
  return path.endsWith('/models') ? { object: 'list', data: [{ id: MODEL, object: 'model' }] } : {}
}

export const MODEL = 'check-model'
const TEXT = 'checked'

/** @param {Tool[]} tools @param {string} mcpTool @returns {Call[]} */
const callsFor = (tools, mcpTool) => {
  const shell = tools.find(({ name }) => SHELL_TOOLS.includes(name))
  const mcp = tools.find(({ name }) => name.includes(mcpTool))
  return [
    ...(shell === undefined ? [] : [{ name: shell.name, input: shellInput(shell) }]),
    ...(mcp === undefined ? [] : [{ name: mcp.name, namespace: mcp.namespace, input: {} }]),
  ]
}

/** @param {Tool} tool @returns {Record<string, unknown>} */
const shellInput = ({ schema: { properties = {}, required = [] } }) => {
  const command = 'echo checked'
  const key = 'cmd' in properties ? 'cmd' : 'command'
  const rest = required.filter((name) => name !== key)
  return {
    [key]: properties[key]?.type === 'array' ? ['sh', '-c', command] : command,
    ...Object.fromEntries(rest.map((name) => [name, properties[name]?.type === 'boolean' ? false : 'check'])),
  }
}

/** @param {Call[]} calls */
const withIds = (calls) => calls.map((call, index) => ({ ...call, id: `call_${index}` }))

const messages = {
  /** @param {Body} body @returns {Tool[]} */
  tools: ({ tools = [] }) => tools.map((/** @type {Body} */ { name, input_schema: schema = {} }) => ({ name, schema })),
  /** @param {Call[]} calls */
  content: (calls) =>
    calls.length === 0
      ? [{ type: 'text', text: TEXT }]
      : withIds(calls).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  /** @param {Call[]} calls */
  whole: (calls) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: messages.content(calls),
    stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  /** @param {Call[]} calls @returns {[string | null, string][]} */
  events: (calls) => {
    const { content, ...message } = messages.whole(calls)
    /** @type {[string, object][]} */
    const events = [
      ['message_start', { message: { ...message, content: [], stop_reason: null } }],
      ...content.flatMap((block, index) => {
        const isText = 'text' in block
        const start = isText ? { ...block, text: '' } : { ...block, input: {} }
        const delta = isText
          ? { type: 'text_delta', text: block.text }
          : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
        return /** @type {[string, object][]} */ ([
          ['content_block_start', { index, content_block: start }],
          ['content_block_delta', { index, delta }],
          ['content_block_stop', { index }],
        ])
      }),
      [
        'message_delta',
        { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 1 } },
      ],
      ['message_stop', {}],
    ]
    return events.map(([type, data]) => [type, JSON.stringify({ type, ...data })])
  },
}

const responses = {
  /** @param {Body} body @returns {Tool[]} */
  tools: ({ tools = [] }) =>
    tools.flatMap((/** @type {Body} */ tool) =>
      tool['type'] === 'namespace'
        ? responses.tools(tool).map((each) => ({ ...each, namespace: tool['name'] }))
        : tool['type'] === 'function'
          ? [{ name: tool['name'], schema: tool['parameters'] ?? {} }]
          : [],
    ),
  /** @param {Call[]} calls */
  whole: (calls) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: MODEL,
    output:
      calls.length === 0
        ? [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              content: [{ type: 'output_text', text: TEXT, annotations: [] }],
            },
          ]
        : withIds(calls).map(({ id, name, namespace, input }) => ({
            type: 'function_call',
            ...(namespace === undefined ? {} : { namespace }),
            id: `fc_${id}`,
            call_id: id,
            name,
            arguments: JSON.stringify(input),
          })),
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
  /** @param {Call[]} calls @returns {[string | null, string][]} */
  events: (calls) => {
    const whole = responses.whole(calls)
    /** @type {[string, object][]} */
    const events = [
      ['response.created', { response: { ...whole, status: 'in_progress', output: [] } }],
      ...whole.output.flatMap(
        (item, index) =>
          /** @type {[string, object][]} */ ([
            ['response.output_item.added', { output_index: index, item }],
            ['response.output_item.done', { output_index: index, item }],
          ]),
      ),
      ['response.completed', { response: whole }],
    ]
    return events.map(([type, data]) => [type, JSON.stringify({ type, ...data })])
  },
}

const completions = {
  /** @param {Body} body @returns {Tool[]} */
  tools: ({ tools = [] }) =>
    tools.map((/** @type {Body} */ { function: { name, parameters = {} } }) => ({ name, schema: parameters })),
  /** @param {Call[]} calls */
  message: (calls) =>
    calls.length === 0
      ? { role: 'assistant', content: TEXT }
      : {
          role: 'assistant',
          content: null,
          tool_calls: withIds(calls).map(({ id, name, input }, index) => ({
            index,
            id,
            type: 'function',
            function: { name, arguments: JSON.stringify(input) },
          })),
        },
  /** @param {Call[]} calls */
  whole: (calls) => ({
    id: 'chat_1',
    object: 'chat.completion',
    created: 1,
    model: MODEL,
    choices: [{ index: 0, message: completions.message(calls), finish_reason: completions.reason(calls) }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  /** @param {Call[]} calls */
  reason: (calls) => (calls.length === 0 ? 'stop' : 'tool_calls'),
  /** @param {Call[]} calls @returns {[string | null, string][]} */
  events: (calls) => {
    const chunk = { id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: MODEL }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    return [
      [
        null,
        JSON.stringify({ ...chunk, choices: [{ index: 0, delta: completions.message(calls), finish_reason: null }] }),
      ],
      [
        null,
        JSON.stringify({
          ...chunk,
          choices: [{ index: 0, delta: {}, finish_reason: completions.reason(calls) }],
          usage,
        }),
      ],
      [null, '[DONE]'],
    ]
  },
}

const PROTOCOLS = { '/messages': messages, '/responses': responses, '/chat/completions': completions }

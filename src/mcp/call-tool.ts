import { GsdError } from '../errors.ts'
import { truncate } from '../redact.ts'
import { schemaFault } from './json-schema.ts'
import { jsonBytes } from './page.ts'
import type { Session } from './session.ts'
import { LARGEST_REPLY, LARGEST_TEXT, type Tool } from './tool.ts'

/** The result of a call, as the protocol has it. */
export interface CallResult {
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly [member: string]: unknown
}

/** Calls a tool. Whatever goes wrong is an answer, in words that hold no absolute path. */
export const callTool = async (session: Session, tool: Tool, args: unknown): Promise<CallResult> => {
  try {
    const given = args ?? {}
    const fault = schemaFault(tool.input, given, 'the arguments')
    if (fault !== null) throw new GsdError('USAGE_BAD_VALUE', fault, { hint: `see the input schema of ${tool.name}` })
    const { data, text } = await tool.run(session, given as Readonly<Record<string, unknown>>)
    const result = { content: [textOf(text)], structuredContent: { ...data } }
    if (jsonBytes(result) <= LARGEST_REPLY) return result
    throw new GsdError('USAGE_BAD_VALUE', 'the answer is too large', {
      hint: 'ask for less: a smaller limit, fewer ids',
    })
  } catch (error) {
    return failure(error)
  }
}

const textOf = (text: string): { readonly type: 'text'; readonly text: string } => ({
  type: 'text',
  text: truncate(text, LARGEST_TEXT / 4),
})

const failure = (error: unknown): CallResult => {
  if (!(error instanceof GsdError)) {
    return { content: [textOf('INTERNAL_ERROR: the server failed at this call')], isError: true }
  }
  const hint = error.hint === undefined ? '' : `\nhint: ${error.hint}`
  return { content: [textOf(`${error.code}: ${error.message}${hint}`)], isError: true }
}

import type { ObjectSchema } from './json-schema.ts'
import type { Session } from './session.ts'

/** What a tool answers: data by its output schema, and the same in a few words. */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>
  /** What is in `content`; bodies are not repeated here. */
  readonly text: string
}

/** A row of the table of tools. All of them only read. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: ObjectSchema
  readonly output: ObjectSchema
  /** Arguments have been judged by `input`. @throws GsdError, which becomes an answer that is an error */
  run(session: Session, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer> | ToolAnswer
}

/** Bytes of one reply, everything included. */
export const LARGEST_REPLY = 64 * 1024
/** Bytes of a reply that a tool may fill with data; the frame and the text in words take the rest. */
export const LARGEST_DATA = 44 * 1024
/** Bytes of a reply that the text in words may take. */
export const LARGEST_TEXT = 8 * 1024

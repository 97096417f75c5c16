import type { Context } from '../context.ts'

/** What the loop takes of the program's context: where things are, and what ends its work. */
export type LoopContext = Pick<Context, 'user' | 'global' | 'project' | 'env' | 'disk' | 'signal'>

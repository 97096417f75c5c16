import { defineCommand } from '../command.ts'
import { unknownWordError } from '../suggest.ts'

const ACTIONS = ['path', 'clean'] as const

export const cache = defineCommand({
  noun: 'capability',
  verb: 'cache',
  summary: 'Show where fetched archives and repositories are kept, or empty that folder. Nothing is lost by it.',
  recovers: false,
  args: [{ name: 'path|clean', summary: 'what to do' }],
  flags: {},
  examples: ['gsd capability cache path', 'gsd capability cache clean'],
  async run(context, { args: [action = ''], flags }) {
    if (action !== 'path' && action !== 'clean') {
      throw unknownWordError(
        'USAGE_UNKNOWN_COMMAND',
        'word after cache:',
        action,
        ACTIONS,
        (word) => `gsd capability cache ${word}`,
      )
    }
    const path = context.cache
    if (action === 'path') return { data: { path }, human: () => path }
    const { cleanCache } = await import('../../operation/clean-cache.ts')
    const removed = flags['dry-run'] ? [] : cleanCache(context)
    return {
      data: { path, removed },
      human: () => (removed.length === 0 ? `${path} holds nothing` : `emptied ${path}`),
    }
  },
})

import { defineCommand } from '../command.ts'
import { unknownWordError } from '../suggest.ts'

const ACTIONS = ['path', 'clean'] as const

export const cache = defineCommand({
  noun: 'capability',
  verb: 'cache',
  summary: 'Show the cache folder, or empty it. What it held is fetched again when needed.',
  recovers: false,
  args: [{ name: 'path|clean', summary: 'what to do' }],
  flags: {},
  examples: ['gsd capability cache path', 'gsd capability cache clean'],
  async run(context, { args: [action = ''], flags }) {
    if (action !== 'path' && action !== 'clean') {
      throw unknownWordError(
        'USAGE_UNKNOWN_COMMAND',
        'cache action',
        action,
        ACTIONS,
        (word) => `gsd capability cache ${word}`,
      )
    }
    const path = context.cache
    if (action === 'path') return { data: { path }, human: () => path }
    const { cleanCache } = await import('../../operation/clean-cache.ts')
    const removed = cleanCache(context, { dryRun: flags['dry-run'] })
    return {
      data: { path, removed },
      human: () =>
        removed.length === 0 ? `${path} is empty` : `${flags['dry-run'] ? 'would empty' : 'emptied'} ${path}`,
    }
  },
})

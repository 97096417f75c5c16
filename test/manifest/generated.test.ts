import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../../scripts/manifest-reference.ts'

describe('what is made from the rules', () => {
  it.each(generatedFiles().map(({ file, text }) => [file, text] as const))(
    '%s is what the rules say now (npm run generate writes it anew)',
    async (file, text) => {
      await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../..', file))
    },
  )
})

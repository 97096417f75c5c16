import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generatedFiles } from '../../scripts/manifest-reference.ts'

describe('the files generated from the rules', () => {
  it.each(generatedFiles().map(({ file, text }) => [file, text] as const))(
    '%s equals the output of the rules (npm run generate rewrites it)',
    async (file, text) => {
      await expect(text).toMatchFileSnapshot(join(import.meta.dirname, '../..', file))
    },
  )
})

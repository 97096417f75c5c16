import { describe, expect, it } from 'vitest'
import { useScratch } from '../../helpers/scratch.ts'

const scratch = useScratch()

describe('an installation that conflicts with the current state', () => {
  it('is refused with a hint, and without the folder it was unpacked in', async () => {
    const { bundle, install, refused } = scratch
    await install(bundle('first', { manifest: { hooks: [], config: { 'shared.on': KEY } } }))
    const second = bundle('second', { manifest: { hooks: [], config: { 'shared.on': KEY } } })
    const error = await refused(() => install(second))
    expect(error).toMatchObject({
      code: 'REGISTRY_CONFIG_COLLISION',
      message: '"second" (global) cannot be installed: its config key "shared.on" belongs to "first" (global)',
    })
    expect(error.hint).not.toContain('gsd capability remove second')
    expect(JSON.stringify(error)).not.toContain('staging')
  })
})

const KEY = { type: 'boolean', default: true, description: 'Whether it is on.' }

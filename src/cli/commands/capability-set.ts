import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'
import { defineCommand } from '../command.ts'
import { unknownWordError } from '../suggest.ts'
import { writtenText } from '../view/written-text.ts'
import { CONFIG_DIR_FLAG, LOOP_FLAGS } from './loop-flags.ts'

export const capabilitySet = defineCommand({
  noun: 'capability',
  verb: 'set',
  summary: 'Switch a declared boolean key of a capability on or off in the configuration.',
  args: [{ name: 'id', summary: 'a capability' }],
  flags: {
    gate: {
      kind: 'list',
      value: '<key>=<bool>',
      summary: 'the key and true or false; may be given again',
      whole: true,
    },
    force: { kind: 'switch', summary: 'also where the capability is not active' },
    runtime: LOOP_FLAGS.runtime,
    cwd: LOOP_FLAGS.cwd,
    ...CONFIG_DIR_FLAG,
  },
  examples: ['gsd capability set ui --gate workflow.ui_safety_gate=false'],
  async run(context, { args: [id = ''], flags }) {
    if (flags.gate.length === 0)
      throw new GsdError('USAGE_MISSING_ARGUMENT', 'capability set needs --gate <key>=<bool>', {
        hint: `gsd config list shows the keys of ${quote(id)}`,
      })
    const [{ openLoop }, { writableKey }, { ownBooleanKeys }, { writeConfig }] = await Promise.all([
      import('./loop/open-loop.ts'),
      import('../../loop/config/writable-key.ts'),
      import('../../loop/config/own-keys.ts'),
      import('../../loop/config/write-config.ts'),
    ])
    const { registry, config, warnings } = await openLoop(context, flags)
    const own = ownBooleanKeys(registry, id, context)
    const values = new Map(
      flags.gate.map((text): [string, boolean] => {
        const [key = '', word] = text.split('=', 2)
        if (word !== 'true' && word !== 'false')
          throw new GsdError('USAGE_BAD_VALUE', `${quote(text)} sets nothing`, {
            hint: `write ${key}=true or ${key}=false`,
          })
        if (!own.includes(key)) throw unknownWordError('USAGE_UNKNOWN_KEY', `boolean key of ${quote(id)}:`, key, own)
        return [writableKey(registry, key, { config, context, force: flags.force }).key, word === 'true']
      }),
    )
    const layer =
      flags.scope === 'global' || (flags.scope === undefined && context.project === null) ? 'user' : 'project'
    const dryRun = flags['dry-run']
    const written = await writeConfig(context, { layer, values, dryRun })
    return {
      data: { id, ...written, ...(dryRun ? { plan: written } : {}) },
      human: () => writtenText(written, { action: 'set', dryRun }),
      warnings,
    }
  },
})

import { andMore, MAX_SHOWN } from '../../abbreviate.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'
import { defineCommand } from '../command.ts'
import { countText } from '../view/view.ts'

export const pack = defineCommand({
  noun: 'capability',
  verb: 'pack',
  summary: 'Pack a capability folder into an archive that is the same, byte for byte, everywhere.',
  args: [{ name: 'dir', summary: 'folder that contains capability.json' }],
  flags: {
    out: { kind: 'text', value: '<file>', summary: 'archive to write; default ./<id>-<version>.tgz' },
    'write-integrity': { kind: 'switch', summary: 'write the digest into the manifest as its integrity' },
  },
  examples: [
    'gsd capability pack ./my-capability',
    'gsd capability pack ./my-capability --write-integrity --out ./dist/x.tgz',
  ],
  async run(context, { args, flags }) {
    const operation = await import('../../operation/pack.ts')
    const packed = await operation.pack(context, {
      dir: args[0] ?? '.',
      out: flags.out ?? null,
      writeIntegrity: flags['write-integrity'],
      dryRun: flags['dry-run'],
    })
    const { warnings, ...data } = packed
    return {
      data,
      human: (view) =>
        [
          `${view.style('green', flags['dry-run'] ? 'would pack' : 'packed')} ${data.file} (${countText(data.files, 'file')}, ${data.size} bytes)`,
          ...data.paths.slice(0, MAX_SHOWN).map((path) => `  ${formatFileName(path)}`),
          ...(data.paths.length > MAX_SHOWN ? [`  ${andMore(data.paths.length - MAX_SHOWN)}`] : []),
          `  integrity ${data.integrity}`,
          `  digest    ${data.digest}`,
        ].join('\n'),
      warnings,
    }
  },
})

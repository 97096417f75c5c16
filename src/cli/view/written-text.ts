import type { ConfigWritten } from '../../loop/config/write-config.ts'

/** What a write of configuration keys did, or would do. */
export const writtenText = ({ file, changed }: ConfigWritten, dryRun: boolean): string =>
  changed.length === 0
    ? `${file} says this already`
    : `${dryRun ? 'would write' : 'wrote'} ${changed.join(', ')} in ${file}`

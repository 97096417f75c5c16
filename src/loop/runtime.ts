import type { Config } from './config/config.ts'

/**
 * The host runtime that asks: as it is named, else `GSD_RUNTIME`, else the configuration key `runtime`; null where nobody
 * says, and then `runtimeCompat` is not judged.
 */
export const runtimeOf = ({
  given,
  env,
  config,
}: {
  readonly given: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly config: Config
}): string | null => {
  const configured = config.value('runtime')
  return given || env['GSD_RUNTIME'] || (typeof configured === 'string' && configured !== '' ? configured : null)
}

import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'
import type { Registry } from '../registry/registry.ts'
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

/** A warning where `GSD_RUNTIME` names no host runtime: then capabilities for certain hosts are inactive. */
export const unknownRuntimeWarnings = (
  registry: Pick<Registry, 'runtimes'>,
  env: Readonly<Record<string, string | undefined>>,
): readonly Diagnostic[] => {
  const id = env['GSD_RUNTIME']
  // Reading the runtimes takes longer than all else here.
  if (!id || registry.runtimes.has(id)) return []
  const near = nearestWord(id, [...registry.runtimes.keys()])
  const message = `GSD_RUNTIME is ${quote(id)}, which is not a host runtime, so what is for certain hosts is inactive`
  const hint = near === null ? 'gsd runtime list shows the host runtimes' : `export GSD_RUNTIME=${near}`
  return [diagnostic('warning', 'HOST_UNKNOWN_RUNTIME', message, { hint })]
}

import type { Context } from '../../../context.ts'
import type { Diagnostic } from '../../../diagnostic.ts'
import { type Config, configOf } from '../../../loop/config/config.ts'
import type { ConfigLayers } from '../../../loop/config/layer.ts'
import { readLayers } from '../../../loop/config/read-layers.ts'
import { parseAssignments } from '../../../loop/config/require-key.ts'
import { runtimeOf, unknownRuntimeWarnings } from '../../../loop/runtime.ts'
import { loadRegistryFor } from '../../../overlay/load-registry.ts'
import type { Registry } from '../../../registry/registry.ts'
import { unknownWordError } from '../../suggest.ts'

/** The loaded registry with the configuration of one command. */
export interface LoopSession {
  readonly registry: Registry
  readonly layers: ConfigLayers
  readonly config: Config
  readonly runtime: string | null
  /** What was wrong with what is installed, and with the environment. */
  readonly warnings: readonly Diagnostic[]
}

export interface LoopRequest {
  readonly runtime?: string | undefined
  readonly set?: readonly string[]
  /** Leaves the project's configuration out. */
  readonly onlyUser?: boolean
}

/**
 * Loads the registry and reads the configuration for one command.
 * @throws GsdError USAGE_UNKNOWN_KEY, USAGE_BAD_VALUE, HOST_UNKNOWN_RUNTIME
 */
export const openLoop = async (
  context: Context,
  { runtime, set = [], onlyUser = false }: LoopRequest,
): Promise<LoopSession> => {
  const { registry, warnings } = await loadRegistryFor(context, { usesSnapshot: true })
  const layers = readLayers({
    project: onlyUser ? null : (context.project?.realRoot ?? null),
    user: context.user.config,
    ...(set.length === 0 ? {} : { call: parseAssignments(registry, set) }),
  })
  const config = configOf(registry, layers)
  if (runtime) requireRuntime(registry, runtime)
  const unknown = runtime ? [] : unknownRuntimeWarnings(registry, context.env)
  return {
    registry,
    layers,
    config,
    runtime: runtimeOf({ given: runtime, env: context.env, config }),
    warnings: [...warnings, ...unknown],
  }
}

const requireRuntime = ({ runtimes }: Registry, id: string): void => {
  if (!runtimes.has(id))
    throw unknownWordError(
      'HOST_UNKNOWN_RUNTIME',
      'host runtime',
      id,
      [...runtimes.keys()],
      (word) => `--runtime ${word}`,
    )
}

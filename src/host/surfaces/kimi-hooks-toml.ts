import { isHook } from '../edit/host-entry.ts'
import { spliceTomlHooks } from '../splice/splice-toml-hooks.ts'
import { onlyEntries, type Surface } from './surface.ts'

/** `[[hooks]]` tables in the host's `config.toml`. */
export const kimiHooksToml: Surface = {
  kind: 'kimi-hooks-toml',
  ownFile: false,
  mode: 0o666,
  splice: (text, request) => spliceTomlHooks(text, onlyEntries(request, isHook)),
}

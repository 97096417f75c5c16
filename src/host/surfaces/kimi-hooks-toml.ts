import { isHook } from '../entry.ts'
import { spliceToml } from '../splice/toml.ts'
import { only, type Surface } from './surface.ts'

/** `[[hooks]]` tables in the host's `config.toml`. */
export const kimiHooksToml: Surface = {
  kind: 'kimi-hooks-toml',
  ownFile: false,
  mode: 0o666,
  splice: (text, request) => spliceToml(text, only(request, isHook)),
}

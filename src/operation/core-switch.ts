import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { openHostFile } from '../host/edit/open-host-file.ts'
import { RUNTIMES } from '../host/runtimes/built-in-runtimes.ts'
import { resolveHome } from '../host/runtimes/resolve-home.ts'
import type { LoadedRegistry } from '../overlay/loaded-registry.ts'
import { isSystemFailure } from '../platform/disk-error.ts'
import { quote } from '../redact.ts'
import { shellQuote } from '../shell-quote.ts'
import { readCoreLedger } from '../state/core-ledger.ts'
import { isObject } from '../state/json-text.ts'

/**
 * GSD Core renders skills into hosts by a switch of its own, one for each host. It is not written from here: the skills
 * change only when GSD Core renders them again. So each host whose switch differs is named, with the command of GSD Core.
 */
export const coreSwitchNotices = (
  context: Context,
  { input }: LoadedRegistry,
  { ids, status }: { readonly ids: readonly string[]; readonly status: 'enabled' | 'disabled' },
): readonly Diagnostic[] => {
  const homes = coreHomes(context)
  if (homes.length === 0) return []
  const installed = readCoreLedger(context.disk, context.global)
  const known = [...input.firstParty, ...input.overlays.filter(({ manifest }) => installed.has(manifest.id))]
  return known.flatMap(({ manifest }) => {
    const { id, skills } = manifest.role === 'feature' ? manifest : { id: manifest.id, skills: [] }
    if (!ids.includes(id) || skills.length === 0) return []
    return homes
      .filter(({ home }) => isRenderedByCore(context, home, { id, skills }) === (status === 'disabled'))
      .map(({ title, home, tools }) => {
        const flag = status === 'disabled' ? '--off' : '--on'
        const text = `GSD Core ${status === 'disabled' ? 'still renders' : 'does not render'} the skills of ${quote(id)} into ${title}: it has a switch of its own`
        const hint = `node ${shellQuote(tools)} capability set ${id} ${flag} --config-dir ${shellQuote(home)}`
        return diagnostic('info', 'HOST_CORE_SWITCH', text, { id, hint })
      })
  })
}

interface CoreHome {
  readonly title: string
  readonly home: string
  /** The program of GSD Core there. */
  readonly tools: string
}

const coreHomes = ({ env, home: userHome }: Context): readonly CoreHome[] =>
  RUNTIMES.flatMap(({ title, configHome }) => {
    if (configHome.kind === 'none') return []
    const home = resolveHome(configHome, { env, home: userHome, exists: existsSync })
    const tools = join(home, 'gsd-core/bin/gsd-tools.cjs')
    return existsSync(tools) ? [{ title, home, tools }] : []
  })

/** By `.gsd-surface.json`. A file that GSD Core does not accept counts as none: then it renders its whole profile. */
const isRenderedByCore = (
  context: Context,
  home: string,
  { id, skills }: { readonly id: string; readonly skills: readonly string[] },
): boolean => {
  const surface = readSurface(context, join(home, '.gsd-surface.json'))
  if (!isObject(surface) || typeof surface['baseProfile'] !== 'string') return true
  const listed = (key: string): readonly unknown[] => {
    const value = surface[key]
    return Array.isArray(value) ? value : []
  }
  const removed = listed('explicitRemoves')
  return !listed('disabledClusters').includes(id) && !skills.every((skill) => removed.includes(skill))
}

const readSurface = ({ disk }: Context, file: string): unknown => {
  try {
    return JSON.parse(openHostFile(disk, file, 'read').text ?? 'null')
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof GsdError && !isSystemFailure(error))) return null
    throw error
  }
}

import type { HostHook, HostServer } from '../../state/host-edit.ts'
import { isObject, type Json, sameJson } from '../../state/json-text.ts'
import { isNormalizedAbsolutePath } from '../../state/name-rules.ts'
import type { FoundHook } from './match-hooks.ts'
import type { FoundServer } from './match-servers.ts'

/** An interpreter, and a path as this program writes it: in single quotes, or bare. */
const HOOK_COMMAND = /^(?:[a-z0-9]+ )?(?:'((?:[^']|'\\'')+)'|([A-Za-z0-9._/-]+))$/

/** The path that a command written by this program runs; null for any other command. */
const scriptIn = (command: string): string | null => {
  const [, quoted, bare] = HOOK_COMMAND.exec(command) ?? []
  const path = quoted?.replaceAll(String.raw`'\''`, "'") ?? bare
  return path !== undefined && isNormalizedAbsolutePath(path) ? path : null
}

/** The folder of a bundle, wherever its root is; null where the path leads into none of this capability. */
export const bundleFolderIn = (path: string, id: string): string | null => {
  const below = `/.gsd/capabilities/${id}`
  const at = path.lastIndexOf(below)
  const rest = path.slice(at + below.length)
  return at <= 0 || (rest !== '' && !rest.startsWith('/')) ? null : path.slice(0, at + below.length)
}

/** Those of the found hooks that run a script of this capability's bundle in any root, in the form this program writes. */
export const hooksOfBundle = (found: readonly FoundHook[], id: string): readonly HostHook[] =>
  found.flatMap(({ event, matcher, command, timeout, hasExtraMembers }) => {
    const script = scriptIn(command)
    if (hasExtraMembers || script === null || bundleFolderIn(script, id) === null) return []
    return [
      {
        event,
        command,
        script,
        ...(matcher === undefined ? {} : { matcher }),
        ...(timeout === undefined ? {} : { timeout }),
      },
    ]
  })

/**
 * Those of the found servers that start a program, or in a folder, of this capability's bundle in any root, and those equal to
 * one of `known`, which name no path.
 */
export const serversOfBundle = (
  found: readonly FoundServer[],
  id: string,
  known: readonly HostServer[],
): readonly HostServer[] =>
  found.flatMap(({ name, value }) => {
    if (!isObject(value)) return []
    const folder = startPaths(value)
      .flatMap((path) => bundleFolderIn(path, id) ?? [])
      .at(0)
    if (folder !== undefined) return [{ kind: 'server', name, value, folder }]
    return known.filter((server) => server.name === name && sameJson(server.value, value)).slice(0, 1)
  })

/** The absolute paths with which a server is started, also inside a command line for a shell. */
const startPaths = ({ command, args, cwd }: { readonly [key: string]: Json }): readonly string[] =>
  [command, args, cwd]
    .flat()
    .flatMap((word) =>
      typeof word === 'string' ? [word, ...[...word.matchAll(/'([^']+)'/g)].map(([, quoted = '']) => quoted)] : [],
    )
    .filter(isNormalizedAbsolutePath)

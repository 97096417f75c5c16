import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { isSystemFailure } from '../../platform/disk-error.ts'
import { resolveRealFile } from '../../platform/real-path.ts'
import type { HostEntry } from '../../state/host-edit.ts'
import { isHook } from '../edit/host-entry.ts'
import { listHookFiles } from '../runtimes/config-files.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'
import type { HostFileEditor } from './host-file-editor.ts'
import type { WiringTarget } from './wiring-targets.ts'

/** Real paths of all files in which a host reads hooks, here and in the home. */
export const listRealHookFiles = (context: Context, runtime: HostRuntime): readonly string[] => {
  const lookup = { env: context.env, home: context.home, exists: existsSync }
  return [
    ...new Set(
      listHookFiles(runtime, context.project?.root ?? null, lookup).flatMap((file) => realPathIfValid(context, file)),
    ),
  ]
}

/**
 * Follows hooks that the user moved from the file we wrote to another one of the same host: there they stay, and they are
 * not written a second time. `files` are all of the host's; `recorded` those in which the record has hooks of ours.
 */
export const followMovedHooks = (
  context: Context,
  hostFiles: HostFileEditor,
  target: WiringTarget,
  { files, recorded }: { readonly files: readonly string[]; readonly recorded: ReadonlySet<string> },
): readonly WiringTarget[] => {
  const [real = target.file] = realPathIfValid(context, target.file)
  const others = files.filter((file) => file !== real)
  if (recorded.size === 0 || !files.includes(real)) return [target]
  const inPlace = new Set(hostFiles.findEntries(real, target.surface, target.entries))
  let away = target.entries.filter((entry) => !inPlace.has(entry))
  const otherTargets: WiringTarget[] = []
  for (const file of others) {
    const entries = hostFiles.findEntries(file, target.surface, away)
    away = away.filter((entry) => !entries.includes(entry))
    if (entries.length > 0 || recorded.has(file)) otherTargets.push({ file, surface: target.surface, entries })
  }
  const moved = new Set<HostEntry>(otherTargets.flatMap(({ entries }) => entries))
  return [{ ...target, entries: target.entries.filter((entry) => !moved.has(entry)) }, ...otherTargets]
}

/** Files of a host, none of them on record, to which hooks of ours were moved. */
export const findMovedHooks = (
  context: Context,
  hostFiles: HostFileEditor,
  runtime: HostRuntime,
  entries: readonly HostEntry[],
  recorded: ReadonlySet<string>,
): readonly string[] =>
  listRealHookFiles(context, runtime).filter(
    (file) => !recorded.has(file) && hostFiles.findEntries(file, runtime.surface, entries.filter(isHook)).length > 0,
  )

const realPathIfValid = ({ disk }: Context, file: string): string[] => {
  try {
    return [resolveRealFile(disk, file).file]
  } catch (error) {
    if (!(error instanceof GsdError) || isSystemFailure(error)) throw error
    return []
  }
}

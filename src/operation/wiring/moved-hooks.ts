import { existsSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { isHook } from '../../host/entry.ts'
import type { HostEntry } from '../../host/host-edit.ts'
import { hookFiles } from '../../host/host-file.ts'
import { realFileOf } from '../../host/real-file.ts'
import type { HostRuntime } from '../../host/runtimes/runtime.ts'
import type { HostBook } from './host-book.ts'
import type { Target } from './wiring-targets.ts'

/** Real paths of all files in which a host reads hooks, here and in the home. */
export const hookFilesHere = (context: Context, runtime: HostRuntime): readonly string[] => {
  const world = { env: context.env, home: context.home, exists: existsSync }
  return [
    ...new Set(hookFiles(runtime, context.project?.root ?? null, world).flatMap((file) => realOrNone(context, file))),
  ]
}

/**
 * Follows hooks that the user moved from the file we wrote to another one of the same host: there they stay, and they are
 * not written a second time. `files` are all of the host's; `recorded` those in which the record has hooks of ours.
 */
export const followMoved = (
  context: Context,
  book: HostBook,
  target: Target,
  { files, recorded }: { readonly files: readonly string[]; readonly recorded: ReadonlySet<string> },
): readonly Target[] => {
  const [real = target.file] = realOrNone(context, target.file)
  const others = files.filter((file) => file !== real)
  if (recorded.size === 0 || !files.includes(real)) return [target]
  const inPlace = new Set(book.holds(real, target.surface, target.entries))
  let away = target.entries.filter((entry) => !inPlace.has(entry))
  const elsewhere: Target[] = []
  for (const file of others) {
    const entries = book.holds(file, target.surface, away)
    away = away.filter((entry) => !entries.includes(entry))
    if (entries.length > 0 || recorded.has(file)) elsewhere.push({ file, surface: target.surface, entries })
  }
  const moved = new Set<HostEntry>(elsewhere.flatMap(({ entries }) => entries))
  return [{ ...target, entries: target.entries.filter((entry) => !moved.has(entry)) }, ...elsewhere]
}

/** Files of a host, none of them on record, to which hooks of ours were moved. */
export const movedTo = (
  context: Context,
  book: HostBook,
  runtime: HostRuntime,
  entries: readonly HostEntry[],
  recorded: ReadonlySet<string>,
): readonly string[] =>
  hookFilesHere(context, runtime).filter(
    (file) => !recorded.has(file) && book.holds(file, runtime.surface, entries.filter(isHook)).length > 0,
  )

const realOrNone = ({ disk }: Context, file: string): string[] => {
  try {
    return [realFileOf(disk, file).file]
  } catch (error) {
    if (error instanceof GsdError) return []
    throw error
  }
}

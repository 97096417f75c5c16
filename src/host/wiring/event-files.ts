import type { Context } from '../../context.ts'
import { pathExists } from '../../platform/disk.ts'
import { resolveRealFile } from '../../platform/real-path.ts'
import type { HostHook } from '../../state/host-edit.ts'
import type { HostRecords } from '../../state/host-records.ts'
import { isHook, sameHook } from '../edit/host-entry.ts'
import type { HostFileEditor } from './host-file-editor.ts'
import type { WiringTarget } from './wiring-targets.ts'

/** Cline reads the name of the event from a file name without one of these. */
const EXTENSIONS = ['', '.sh', '.bash', '.zsh']

/**
 * One file for each hook of a host that runs every file of an event: that of before, or the first one that neither the user
 * nor another capability has. Where none is free the first is kept, and planning it says whose it is.
 */
export const assignEventFiles = (
  context: Context,
  { hosts, hostFiles, id }: { readonly hosts: HostRecords; readonly hostFiles: HostFileEditor; readonly id: string },
  targets: readonly WiringTarget[],
): readonly WiringTarget[] => {
  const used = new Set<string>()
  const ownIn = (file: string): HostHook | null => {
    const real = resolveRealFile(context.disk, file).file
    const planned = hostFiles.records().get(real)
    const record = planned === undefined ? hosts.files.get(real) : planned.after
    return record?.entries[id]?.find(isHook) ?? null
  }
  const isFree = (file: string): boolean => {
    const real = resolveRealFile(context.disk, file).file
    return !pathExists(context.disk, file) && (hostFiles.records().get(real)?.after ?? null) === null
  }
  return targets.flatMap((target) =>
    target.surface !== 'cline-rules'
      ? [target]
      : target.entries.filter(isHook).map((hook) => {
          const files = EXTENSIONS.map((extension) => target.file + extension).filter((file) => !used.has(file))
          const same = files.find((file) => {
            const own = ownIn(file)
            return own !== null && sameHook(own, hook)
          })
          const file =
            same ?? files.find((each) => ownIn(each) !== null) ?? files.find(isFree) ?? files[0] ?? target.file
          used.add(file)
          return { ...target, file, entries: [hook] }
        }),
  )
}

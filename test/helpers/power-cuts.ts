import { chmodSync, linkSync, mkdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import type { Disk } from '../../src/store/disk.ts'
import { realDisk } from '../../src/store/real-disk.ts'
import type { HandScenario } from './hand-journals.ts'
import { copyTree, differences, treeOf } from './tree.ts'
import { deadProcess, makeWorld } from './world.ts'

/** What one call did to the disk; descriptors are resolved to the file they were opened for. */
type Event =
  | { readonly kind: 'create'; readonly path: string; readonly file: number; readonly mode: number }
  | { readonly kind: 'write'; readonly file: number; readonly bytes: Buffer }
  | { readonly kind: 'sync'; readonly paths: readonly string[] }
  | { readonly kind: 'chmod'; readonly file: number; readonly mode: number }
  | { readonly kind: 'mkdir' | 'rmdir' | 'unlink'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'link'; readonly from: string; readonly to: string }

/**
 * Cuts the power after every call of the operation: names, folders and renames are on the disk in the order in which they
 * were made, as journalling file systems keep them, but of a file only what was synced by then; the rest of it is lost.
 * Then another process recovers, and everything is the old state or the new one.
 */
export const everyPowerCut = async (root: string, scenario: HandScenario): Promise<number> => {
  const start = `${root}.start`
  for (const folder of [root, start]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(root, { recursive: true })
  await scenario.prepare(makeWorld(root).context, root)
  copyTree(root, start)
  const before = treeOf(root)
  const events: Event[] = []
  await scenario.run(makeWorld(root, { disk: recording(events), identity: deadProcess() }).context)
  const after = treeOf(root)
  for (let cut = 0; cut <= events.length; cut += 1) {
    rmSync(root, { recursive: true, force: true })
    copyTree(start, root)
    replay(events.slice(0, cut))
    // A machine that starts again takes longer than the silence after which a torn entry counts as dead.
    const { user, project } = makeWorld(root).context
    for (const folder of [user.lock, project?.lock ?? user.lock]) rmSync(folder, { recursive: true, force: true })
    await scenario.recover(makeWorld(root).context)
    const found = treeOf(root)
    const [toOld, toNew] = [differences(before, found), differences(after, found)]
    if (toOld.length === 0 || toNew.length === 0) continue
    const where = `power cut after ${JSON.stringify(events[cut - 1])?.slice(0, 300)}`
    throw new Error(`${where}:\nagainst the old state\n${toOld.join('\n')}\nagainst the new state\n${toNew.join('\n')}`)
  }
  return events.length + 1
}

const recording = (events: Event[]): Disk => {
  const opened = new Map<number, { readonly path: string; readonly file: number | null }>()
  let files = 0
  return {
    ...realDisk,
    openSync: (path, flags, mode) => {
      const fd = realDisk.openSync(path, flags, mode)
      const isNew = flags === 'wx'
      opened.set(fd, { path, file: isNew ? (files += 1) : null })
      if (isNew) events.push({ kind: 'create', path, file: files, mode: realDisk.fstatSync(fd).mode & 0o7777 })
      return fd
    },
    writeSync: (fd, buffer, offset, length) => {
      const written = realDisk.writeSync(fd, buffer, offset, length)
      const file = opened.get(fd)?.file ?? 0
      events.push({ kind: 'write', file, bytes: Buffer.from(buffer.subarray(offset, offset + written)) })
      return written
    },
    fsyncSync: (fd) => void events.push({ kind: 'sync', paths: [opened.get(fd)?.path ?? ''] }),
    syncAll: (paths) => Promise.resolve(void events.push({ kind: 'sync', paths })),
    fchmodSync: (fd, mode) => {
      realDisk.fchmodSync(fd, mode)
      events.push({ kind: 'chmod', file: opened.get(fd)?.file ?? 0, mode })
    },
    mkdirSync: (path, mode) => {
      realDisk.mkdirSync(path, mode)
      events.push({ kind: 'mkdir', path })
    },
    rmdirSync: (path) => {
      realDisk.rmdirSync(path)
      events.push({ kind: 'rmdir', path })
    },
    unlinkSync: (path) => {
      realDisk.unlinkSync(path)
      events.push({ kind: 'unlink', path })
    },
    renameSync: (from, to) => {
      realDisk.renameSync(from, to)
      events.push({ kind: 'rename', from, to })
    },
    linkSync: (from, to) => {
      realDisk.linkSync(from, to)
      events.push({ kind: 'link', from, to })
    },
  }
}

/** Does the same again, but bytes reach a file only when it is synced. */
const replay = (events: readonly Event[]): void => {
  const paths = new Map<number, string>()
  const written = new Map<number, Buffer[]>()
  for (const event of events) {
    if (event.kind === 'create') {
      writeFileSync(event.path, '', { flag: 'wx', mode: event.mode })
      paths.set(event.file, event.path)
    } else if (event.kind === 'write') {
      written.set(event.file, [...(written.get(event.file) ?? []), event.bytes])
    } else if (event.kind === 'sync') {
      for (const [file, path] of paths) {
        if (event.paths.includes(path)) writeFileSync(path, Buffer.concat(written.get(file) ?? []))
      }
    } else if (event.kind === 'chmod') {
      chmodSync(paths.get(event.file) ?? '', event.mode)
    } else if (event.kind === 'rename') {
      renameSync(event.from, event.to)
      for (const [file, path] of paths) paths.set(file, moved(path, event))
    } else if (event.kind === 'link') {
      linkSync(event.from, event.to)
    } else {
      const again = { mkdir: mkdirSync, rmdir: rmdirSync, unlink: unlinkSync }[event.kind]
      again(event.path)
    }
  }
}

const moved = (path: string, { from, to }: { readonly from: string; readonly to: string }): string =>
  path === from || path.startsWith(`${from}/`) ? to + path.slice(from.length) : path

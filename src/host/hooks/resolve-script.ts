import { join, sep } from 'node:path'
import { errnoOf, GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import type { HookScript } from './hook-command.ts'

/**
 * A hook's script as it is on disk now: its real path, which must lie inside the real folder of the installed bundle,
 * and whether it begins with `#!`. A FIFO or device is refused without being opened.
 * @throws HOST_SCRIPT
 */
export const resolveScript = (disk: Disk, bundleDir: string, script: string): HookScript => {
  const refuse = (what: string, cause?: unknown): GsdError =>
    new GsdError('HOST_SCRIPT', `the hook script ${quote(script)} ${what}`, {
      hint: 'install the capability again',
      cause,
    })
  try {
    const dir = disk.realpathSync(bundleDir)
    const path = disk.realpathSync(join(dir, script))
    if (!path.startsWith(dir.endsWith(sep) ? dir : dir + sep))
      throw refuse(`leads out of the bundle, to ${quote(path)}`)
    if (!disk.lstatSync(path).isFile()) throw refuse('is not a regular file')
    return { path, shebang: startsWithShebang(disk, path) }
  } catch (error) {
    if (error instanceof GsdError) throw error
    throw refuse(
      errnoOf(error) === 'ENOENT' ? 'is not there' : `cannot be read (${errnoOf(error) ?? 'unknown error'})`,
      error,
    )
  }
}

const startsWithShebang = (disk: Disk, path: string): boolean => {
  const fd = disk.openSync(path, 'r')
  try {
    const start = Buffer.alloc(2)
    return disk.readSync(fd, start, 0, 2, 0) === 2 && start.toString('latin1') === '#!'
  } finally {
    disk.closeSync(fd)
  }
}

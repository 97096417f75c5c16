import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GsdError } from '../../errors.ts'
import type { CommandFamily } from '../../manifest/manifest.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { isInside } from '../../platform/real-path.ts'
import { quote } from '../../redact.ts'

/** The module of a family, as it was when it was checked. */
export interface ModuleFile {
  /** Real path. */
  readonly path: string
  /** Hex; the process that loads it compares again. */
  readonly sha512: string
}

/** The module's real file, inside the folder of its capability. @throws GsdError OVERLAY_FAMILY_MODULE */
export const moduleFile = (dir: string, { family, module }: CommandFamily): ModuleFile => {
  const refuse = (what: string): never => {
    throw new GsdError('OVERLAY_FAMILY_MODULE', `the module ${quote(module)} of ${quote(family)} ${what}`, {
      hint: 'gsd capability verify shows what changed',
    })
  }
  try {
    const root = realpathSync.native(dir)
    const path = realpathSync.native(join(dir, module))
    if (!isInside(path, root)) return refuse('leads out of its capability')
    if (!statSync(path).isFile()) return refuse('is not a regular file')
    return { path, sha512: sha512Hex(readFileSync(path)) }
  } catch (error) {
    if (error instanceof GsdError) throw error
    return refuse('cannot be read')
  }
}

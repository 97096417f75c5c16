import type { BundleFile } from '../../bundle/bundle.ts'
import { compareUtf8 } from '../../bundle/byte-order.ts'
import { bundleDigest } from '../../bundle/digest.ts'
import { createFileHash } from '../../bundle/file-hash.ts'
import { LIMITS } from '../../bundle/limits.ts'
import { GsdError } from '../../errors.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { SKILL_FILE } from '../limits.ts'
import { requirePlain, scanFileOf } from './confined-file.ts'
import { attempt, below, entryStats, odd, withFolder, type ConfinedFolder } from './confined-folder.ts'
import { plainPathFault } from './skill-path.ts'

/** One file of a skill's folder. */
export interface SkillFile {
  /** Relative to the skill's folder. */
  readonly path: string
  /** Size in bytes. */
  readonly size: number
}

/** A file of a skill that was read already. */
export interface KnownFile {
  /** Relative to the skill's folder. */
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * Files of a skill's folder, in the byte order of their paths. A folder below with a `SKILL.md` of its own is another
 * skill and not entered.
 * @throws GsdError POLICY_SKILL_CONFINED for a link, a FIFO and the like, STATE_SKILL_MISSING, POLICY_SKILL_SIZE
 */
export const listSkillFiles = (disk: Disk, root: string, skillPath: string): readonly SkillFile[] => {
  const files: SkillFile[] = []
  walkSkill(disk, root, skillPath, (folder, name, path) => {
    const { size } = requirePlain(entryStats(disk, folder.at(name), below(folder.path, name)), below(folder.path, name))
    files.push({ path, size })
  })
  return files.sort((a, b) => compareUtf8(a.path, b.path))
}

/**
 * The digest of a skill: of its files as of a bundle (contract, "Integrity and digest").
 * @returns `sha512-…`
 * @throws GsdError like {@link listSkillFiles}
 */
export const skillDigest = (disk: Disk, root: string, skillPath: string, known?: KnownFile): string => {
  const files: BundleFile[] = []
  let bytes = 0
  walkSkill(disk, root, skillPath, (folder, name, path) => {
    const hash = createFileHash({ path, size: 0, executable: false })
    const isKnown = path === known?.path
    const read = scanFileOf(disk, folder, name, {
      limit: LIMITS.file,
      take: (chunk) => {
        bytes += chunk.length
        if (bytes > LIMITS.unpacked) throw tooLarge(skillPath, `is larger than ${LIMITS.unpacked} bytes`)
        if (!isKnown) hash.update(chunk)
      },
    })
    // The bytes that are handed on are the ones that count, not those a second reading finds.
    if (isKnown) hash.update(known.bytes)
    files.push({ ...hash.result(), ...read })
  })
  return bundleDigest(files, null)
}

type Visit = (folder: ConfinedFolder, name: string, path: string) => void

const walkSkill = (disk: Disk, root: string, skillPath: string, visit: Visit): void => {
  let entries = 0
  const walk = (folder: ConfinedFolder, prefix: string): void => {
    const names = attempt(folder.path, () => disk.readdirSync(folder.at('')))
    if (prefix !== '' && names.includes(SKILL_FILE)) return
    for (const name of names.toSorted(compareUtf8)) {
      const path = `${prefix}${name}`
      if (++entries > LIMITS.entries) throw tooLarge(skillPath, `holds more than ${LIMITS.entries} entries`)
      const fault = plainPathFault(path)
      if (fault !== null) throw odd(below(folder.path, name), fault)
      if (!entryStats(disk, folder.at(name), below(folder.path, name)).isDirectory()) visit(folder, name, path)
      else enter(folder, name, `${path}/`)
    }
  }
  const enter = (folder: ConfinedFolder, name: string, prefix: string): void => {
    const child = folder.child(name)
    try {
      walk(child, prefix)
      child.check()
    } finally {
      child.close()
    }
  }
  withFolder(disk, root, skillPath.split('/'), (folder) => walk(folder, ''))
}

const tooLarge = (skillPath: string, words: string): GsdError =>
  new GsdError('POLICY_SKILL_SIZE', `${quote(skillPath)} ${words}`, { hint: 'make the skill smaller' })

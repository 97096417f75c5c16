import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import { decodeUtf8 } from '../../manifest/json/decode-utf8.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { readHead } from '../bodies/confined-file.ts'
import { below, withFolder } from '../bodies/confined-folder.ts'
import { SKILL_FILE, SKILL_LIMITS } from '../limits.ts'
import { readFrontmatter, type Frontmatter } from './frontmatter.ts'

/** What the `SKILL.md` of a folder says of itself. */
export interface SkillMetadata {
  /** Folder of the skill, relative to the root. */
  readonly path: string
  readonly fields: Frontmatter
}

export interface ReadMetadata {
  readonly found: readonly SkillMetadata[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Reads the frontmatter of each folder's `SKILL.md`, 64 KiB at most. One that cannot be read is an error among the
 * findings, and the others are read.
 */
export const readMetadata = async (disk: Disk, root: string, paths: readonly string[]): Promise<ReadMetadata> => {
  const yaml = await import('yaml')
  const found: SkillMetadata[] = []
  const findings: Diagnostic[] = []
  for (const path of paths) {
    const file = below(path, SKILL_FILE)
    try {
      const text = headText(disk, root, path)
      const { fields, fault } = readFrontmatter(text, yaml)
      found.push({ path, fields })
      if (fault === null) continue
      const { line, message, hint } = fault
      findings.push(
        diagnostic('warning', 'MANIFEST_SKILL_FRONTMATTER', `${quote(file)} ${message}`, { file, line, hint }),
      )
    } catch (error) {
      if (!(error instanceof GsdError)) throw error
      const hint = error.hint === undefined ? {} : { hint: error.hint }
      findings.push(diagnostic('error', error.code, error.message, { file, ...hint }))
    }
  }
  return { found, findings }
}

const headText = (disk: Disk, root: string, path: string): string => {
  const file = below(path, SKILL_FILE)
  const { bytes, whole } = withFolder(disk, root, path.split('/'), (folder) =>
    readHead(disk, folder, SKILL_FILE, SKILL_LIMITS.frontmatter),
  )
  // The last character of a head may be cut in the middle.
  for (let cut = 0; cut < (whole ? 1 : 4); cut++) {
    const { text, error: fault } = decodeUtf8(bytes.subarray(0, bytes.length - cut))
    if (fault === null) return text
  }
  const { error: fault } = decodeUtf8(bytes)
  throw new GsdError('MANIFEST_SKILL_ENCODING', `${quote(file)} is not UTF-8: ${fault?.words ?? ''}`, {
    hint: 'save it as UTF-8',
  })
}

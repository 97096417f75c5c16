import { errorFromDiagnostic } from '../../diagnostic.ts'
import { errnoOf, GsdError } from '../../errors.ts'
import { realDisk, type Disk } from '../../platform/disk.ts'
import { sha512Integrity } from '../../platform/hash.ts'
import { quote } from '../../redact.ts'
import { readConfined, readPresent } from '../bodies/confined-file.ts'
import { isAbsent } from '../bodies/confined-folder.ts'
import { parseLock, type SkillsLock } from '../bodies/lock-file.ts'
import { INDEX_FILE, LOCK_FILE, SKILL_LIMITS } from '../limits.ts'
import { makeSearcher, type Searcher } from '../search/search-index.ts'
import { CAPABILITY_FIELD, type SkillEntry } from './entry.ts'
import { parseIndex, type IndexMode, type ParsedIndex } from './parse-index.ts'
import type { SkillsIndex } from './skills-index.ts'

export interface OpenOptions {
  /** Default `compat`: all that the manifest v1 allows. `strict` refuses the index for any fault in it. */
  readonly mode?: IndexMode
  /**
   * `check` (default) refuses an index that is not the one that was locked, and every body that differs from the lock.
   * `ignore` is for looking at a catalog that changed.
   */
  readonly lock?: 'check' | 'ignore'
  /** Folders of installed capabilities by id, for entries that name one as their `gsd_capability`. */
  readonly installed?: ReadonlyMap<string, string>
  /** File system; default that of this machine. */
  readonly disk?: Disk
}

/**
 * Opens the index of a skills root: reads `skills_index.json` and the lock, where there is one, and nothing else.
 *
 * @param root Folder that holds `skills_index.json`; the `SKILLS_ROOT` of a host
 * @throws GsdError STATE_NO_SKILLS_INDEX; MANIFEST_SKILLS_INDEX when the file cannot be used at all; in strict mode the
 *   first fault; POLICY_SKILL_CONFINED for an index that is a link; MANIFEST_SKILLS_LOCK and INTEGRITY_SKILL_CHANGED when
 *   the lock is broken or made from another index
 */
export const openSkillsIndex = (root: string, options: OpenOptions = {}): SkillsIndex => {
  const { mode = 'compat', disk = realDisk, installed } = options
  if (typeof root !== 'string' || (mode !== 'compat' && mode !== 'strict')) throw badOption(root, mode)
  const real = realRoot(disk, root)
  const bytes = readIndexBytes(disk, real)
  const parsed = parseIndex(bytes, { mode })
  const fatal = parsed.findings.find(({ severity }) => severity === 'error')
  if (fatal !== undefined && (parsed.broken || mode === 'strict'))
    throw errorFromDiagnostic(fatal, 'MANIFEST_SKILLS_INDEX', { findings: parsed.findings })
  const integrity = sha512Integrity(bytes)
  const lock = options.lock === 'ignore' ? null : readLock(disk, real, integrity)
  return indexOf(parsed, { root: real, integrity, lock, disk, installed })
}

/** Real path of a skills root. Throws STATE_NO_SKILLS_INDEX where there is no such folder. */
export const realRoot = (disk: Disk, root: string): string => {
  try {
    const real = disk.realpathSync(root)
    if (disk.statSync(real).isDirectory()) return real
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
  }
  throw new GsdError('STATE_NO_SKILLS_INDEX', `the skills root ${quote(root)} is not a folder that can be read`, {
    hint: 'name the folder that holds skills_index.json: --skills-root <dir>',
  })
}

/** Bytes of the index; STATE_NO_SKILLS_INDEX where there is none. */
export const readIndexBytes = (disk: Disk, root: string): Uint8Array => {
  try {
    return readConfined(disk, root, INDEX_FILE, SKILL_LIMITS.index).bytes
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    if (error.code === 'POLICY_SKILL_SIZE') {
      const hint = 'split the repository'
      throw new GsdError('MANIFEST_SKILLS_INDEX', `the index is larger than ${SKILL_LIMITS.index} bytes`, { hint })
    }
    if (!isAbsent(error)) throw error
    throw new GsdError('STATE_NO_SKILLS_INDEX', error.message, { hint: 'gsd skills index writes it' })
  }
}

/** The lock beside the index, checked against it; null where there is none. */
export const readLock = (disk: Disk, root: string, integrity: string): SkillsLock | null => {
  const lock = findLock(disk, root)
  if (lock === null || lock.index === integrity) return lock
  throw new GsdError('INTEGRITY_SKILL_CHANGED', `${quote(INDEX_FILE)} is not the one that was locked`, {
    hint: 'look at what changed, then: gsd skills lock',
    details: { locked: lock.index, found: integrity },
  })
}

/** The lock beside the index as it is; null where there is none. */
export const findLock = (disk: Disk, root: string): SkillsLock | null => {
  const bytes = readPresent(disk, root, LOCK_FILE, SKILL_LIMITS.lock)
  return bytes === null ? null : parseLock(bytes)
}

type Rest = Pick<SkillsIndex, 'root' | 'integrity' | 'lock' | 'disk'> & Pick<OpenOptions, 'installed'>

/** The opened index of entries that were read. */
export const indexOf = (parsed: ParsedIndex, { root, installed, ...rest }: Rest): SkillsIndex => {
  const { entries, byId, refused, findings } = parsed
  let searcher: Searcher | null = null
  return Object.freeze({
    ...rest,
    root,
    rootOf: (entry: SkillEntry) => installedRoot(entry, installed) ?? root,
    entries,
    get: (id: string) => byId.get(id),
    refusal: (id: string) => (byId.has(id) ? undefined : refused.get(id)),
    warnings: findings,
    searcher: () => (searcher ??= makeSearcher(entries)),
  })
}

const installedRoot = (entry: SkillEntry, installed: OpenOptions['installed']): string | null => {
  const capability = entry[CAPABILITY_FIELD]
  return (typeof capability === 'string' && installed?.get(capability)) || null
}

const badOption = (root: unknown, mode: unknown): GsdError =>
  new GsdError('USAGE_BAD_VALUE', `openSkillsIndex was given ${quote(root)} and the mode ${quote(mode)}`, {
    hint: 'give the path of a folder, and "compat" or "strict"',
  })

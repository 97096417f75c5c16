import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import type { Disk } from '../../platform/disk.ts'
import { quote } from '../../redact.ts'
import { INDEX_FILE } from '../limits.ts'
import { oneLine } from './build-entries.ts'
import { CAPABILITY_FIELD, type SkillEntry } from './entry.ts'
import { installedEntries } from './installed-entries.ts'
import { readIndexBytes } from './open-index.ts'
import { parseIndex } from './parse-index.ts'

/**
 * Compares the entries of an index that belong to capabilities with what is installed.
 * @throws GsdError STATE_NO_SKILLS_INDEX
 */
export const checkInstalled = async (
  disk: Disk,
  root: string,
  folders: ReadonlyMap<string, string>,
): Promise<readonly Diagnostic[]> => {
  const { entries } = parseIndex(readIndexBytes(disk, root), { mode: 'compat' })
  const listed = entries.filter((entry) => entry[CAPABILITY_FIELD] !== undefined)
  const own = new Set(
    entries.filter((entry) => entry[CAPABILITY_FIELD] === undefined).map(({ id }) => id.toLowerCase()),
  )
  const { entries: installed, warnings } = await installedEntries(disk, folders)
  const now = new Map(installed.map((entry) => [keyOf(entry), entry]))
  const before = new Set(listed.map(keyOf))
  return [
    ...warnings,
    ...listed
      .filter((entry) => isStale(entry, now.get(keyOf(entry))))
      .map((entry) => drift(entry, 'is not as it is installed')),
    ...installed
      .filter((entry) => !before.has(keyOf(entry)) && !own.has(entry.id.toLowerCase()))
      .map((entry) => drift(entry, 'is installed and not in the index')),
  ]
}

const keyOf = (entry: SkillEntry): string => `${String(entry[CAPABILITY_FIELD])}\0${entry.path}`

const isStale = (listed: SkillEntry, now: SkillEntry | undefined): boolean =>
  now === undefined ||
  listed.id !== now.id ||
  oneLine(listed.name) !== oneLine(now.name) ||
  oneLine(listed.description) !== oneLine(now.description)

const drift = ({ id, ...entry }: SkillEntry, words: string): Diagnostic =>
  diagnostic('error', 'STATE_SKILLS_DRIFT', `skill ${quote(id)} of ${quote(entry[CAPABILITY_FIELD])} ${words}`, {
    id,
    file: INDEX_FILE,
    hint: 'gsd skills index --installed',
  })

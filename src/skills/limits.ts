/** Bounds of the skills room, in bytes unless said otherwise. */
export const SKILL_LIMITS = {
  /** A `skills_index.json`; some twenty thousand skills. */
  index: 16 * 1024 * 1024,
  /** How deep a value inside an entry may be nested. */
  depth: 64,
  /** One `SKILL.md`, unless the caller says otherwise. */
  body: 256 * 1024,
  /** Another text file of a skill. */
  file: 1024 * 1024,
  /** One `SKILL.md`, whatever the caller says. */
  largestBody: 64 * 1024 * 1024,
  /** All bodies of one turn, unless the caller says otherwise. */
  turn: 512 * 1024,
  /** Skills in one turn, unless the caller says otherwise. */
  perTurn: 8,
  /** What is read of a `SKILL.md` to find its frontmatter. */
  frontmatter: 64 * 1024,
  /** Aliases in one frontmatter (count). */
  aliases: 100,
  /** A lock file. */
  lock: 16 * 1024 * 1024,
  /** A stack file. */
  stack: 1024 * 1024,
  /** Folders and files looked at while `SKILL.md` files are searched (count). */
  walk: 200_000,
  /** Folders below each other while `SKILL.md` files are searched (count). */
  walkDepth: 24,
  /** Findings given in one report (count). */
  findings: 200,
  /** Entries left out of an index that are remembered by id (count). */
  refused: 2000,
  /** Unknown mentions that get suggestions (count). */
  suggested: 20,
  /** Characters of a search query that are used (count). */
  query: 2000,
} as const

/** The canonical index, relative to the skills root. */
export const INDEX_FILE = 'skills_index.json'
/** Its exact mirror. */
export const MIRROR_FILE = 'data/skills_index.json'
/** The lock beside the index. */
export const LOCK_FILE = 'skills_index.lock.json'
/** The folder all skills lie below. */
export const SKILLS_FOLDER = 'skills'
/** The instructions of a skill, in its folder. */
export const SKILL_FILE = 'SKILL.md'

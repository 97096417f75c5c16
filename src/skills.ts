/**
 * The skills manifest v1 and its lazy host: open an index, find what a turn mentions, read only that, search the rest.
 * No side effects but reading below the root that was opened.
 */
export type { Diagnostic } from './diagnostic.ts'
export type { SkillEntry } from './skills/index/entry.ts'
export { RISK_LABELS } from './skills/index/entry.ts'
export { findMentions } from './skills/turn/find-mentions.ts'
export { labelUntrusted } from './skills/bodies/label-untrusted.ts'
export { openSkillsIndex, type OpenOptions } from './skills/index/open-index.ts'
export { parseIndex, type IndexMode, type ParsedIndex } from './skills/index/parse-index.ts'
export {
  planTurn,
  type Message,
  type MessagePart,
  type TurnOptions,
  type TurnPlan,
  type UnknownMention,
} from './skills/turn/plan-turn.ts'
export { readSkills, type ReadOptions, type ReadSkill, type ReadSkills } from './skills/bodies/read-skills.ts'
export {
  searchSkills,
  type SearchAnswer,
  type SearchOptions,
  type SearchResult,
} from './skills/search/search-skills.ts'
export type { SkillsIndex } from './skills/index/skills-index.ts'

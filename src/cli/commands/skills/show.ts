import { GsdError } from '../../../errors.ts'
import { quote } from '../../../redact.ts'
import type { SkillEntry } from '../../../skills/index/entry.ts'
import type { SkillsIndex } from '../../../skills/index/skills-index.ts'
import { defineCommand } from '../../command.ts'
import { openCatalog } from './open-catalog.ts'
import { ROOT_FLAGS } from './skills-flags.ts'

export const skillsShow = defineCommand({
  noun: 'skills',
  verb: 'show',
  summary: 'Show what the index says of one skill, and its instructions.',
  recovers: false,
  args: [{ name: 'id', summary: 'a skill, exactly as the index has it' }],
  flags: { ...ROOT_FLAGS, body: { kind: 'switch', summary: 'also the text of its SKILL.md' } },
  examples: ['gsd skills show brainstorming', 'gsd skills show brainstorming --body'],
  async run(context, { args: [id = ''], flags }) {
    const { index, warnings } = await openCatalog(context, flags)
    const { entryOf, readSkills } = await import('../../../skills/bodies/read-skills.ts')
    const entry = await withSuggestions(index, id, () => entryOf(index, id))
    if (!flags.body) return { data: entry, human: () => details(entry), warnings }
    const [skill] = readSkills(index, [entry.id]).skills
    if (skill === undefined) throw new Error('a skill was neither read nor refused')
    const { labelUntrusted } = await import('../../../skills/bodies/label-untrusted.ts')
    const { sha512, bytes, text, untrusted } = skill
    return {
      data: { ...entry, sha512, bytes, text, untrusted },
      human: () => `${details(entry)}\n\n${labelUntrusted(skill)}`,
      warnings,
    }
  },
})

const withSuggestions = async <T>(index: SkillsIndex, id: string, work: () => T): Promise<T> => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof GsdError) || error.code !== 'STATE_NO_SKILL') throw error
    const { mentionResolver } = await import('../../../skills/turn/resolve-mention.ts')
    const resolver = mentionResolver(index.entries)
    const near = [resolver.find(id)?.id, ...resolver.suggest(id)].filter((it) => it !== undefined)
    if (near.length === 0) throw error
    throw new GsdError(error.code, error.message, { hint: `did you mean ${[...new Set(near)].map(quote).join(', ')}?` })
  }
}

const details = (entry: SkillEntry): string =>
  [
    entry.id === entry.name ? entry.id : `${entry.id}  ${entry.name}`,
    `  ${entry.description.trim().replace(/\s+/g, ' ')}`,
    `  path: ${entry.path}`,
    `  category: ${entry.category}`,
    `  risk: ${entry.risk}`,
    `  source: ${entry.source}`,
    `  added: ${entry.date_added ?? '-'}`,
  ].join('\n')

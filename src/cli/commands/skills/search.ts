import type { SkillEntry } from '../../../skills/index/entry.ts'
import type { SearchAnswer, SearchResult } from '../../../skills/search/search-skills.ts'
import { defineCommand } from '../../command.ts'
import { countText, type View } from '../../view/view.ts'
import { openCatalog } from './open-catalog.ts'
import { ROOT_FLAGS, wholeNumber } from './skills-flags.ts'

export const skillsSearch = defineCommand({
  noun: 'skills',
  verb: 'search',
  summary: 'Find skills by words, labels and dates, the best first.',
  recovers: false,
  args: [{ name: 'words', summary: 'what to look for; none lists all', optional: true, many: true }],
  flags: {
    ...ROOT_FLAGS,
    risk: { kind: 'list', value: '<label>', summary: 'only these risks: none, safe, critical, offensive, unknown' },
    category: { kind: 'list', value: '<name>', summary: 'only these categories' },
    source: { kind: 'list', value: '<name>', summary: 'only these sources' },
    tag: { kind: 'list', value: '<tag>', summary: 'only skills with all of these tags' },
    since: { kind: 'text', value: '<date>', summary: 'only skills added on this day or later: 2026-02-27' },
    limit: { kind: 'text', value: '<n>', summary: 'most results (default 10)' },
    offset: { kind: 'text', value: '<n>', summary: 'results to leave out at the start' },
  },
  examples: [
    'gsd skills search code review',
    'gsd skills search deploy --risk safe --category devops --limit 5 --json',
  ],
  async run(context, { args, flags }) {
    const { index, warnings } = await openCatalog(context, flags)
    const { searchSkills } = await import('../../../skills/search/search-skills.ts')
    const limit = wholeNumber('limit', flags.limit, 1)
    const offset = wholeNumber('offset', flags.offset, 0)
    const { risk, category, source, tag, since } = flags
    const answer = searchSkills(index, args.join(' '), {
      risk,
      category,
      source,
      tag,
      ...(since === undefined ? {} : { since }),
      ...(limit === undefined ? {} : { limit }),
      ...(offset === undefined ? {} : { offset }),
    })
    const skills = answer.results.map(rowOf)
    return { data: { skills, total: answer.total }, human: (view) => text(answer, view), warnings }
  },
})

const rowOf = ({ entry, score }: SearchResult): SkillEntry & { readonly score: number } => ({
  ...entry,
  score: Math.round(score * 1000) / 1000,
})

const text = ({ results, total }: SearchAnswer, view: View): string => {
  if (results.length === 0) return 'no skill was found'
  const rows = view.table<SearchResult>(
    [
      { title: 'id', cell: ({ entry }) => entry.id },
      { title: 'risk', cell: ({ entry }) => entry.risk },
      { title: 'category', cell: ({ entry }) => entry.category },
      { title: 'description', cell: ({ entry }) => entry.description.trim().replace(/\s+/g, ' '), cut: true },
    ],
    results,
  )
  return results.length === total ? rows : `${rows}\n${results.length} of ${countText(total, 'skill')}`
}

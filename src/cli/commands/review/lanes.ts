import { defineCommand } from '../../command.ts'

export const reviewLanes = defineCommand({
  noun: 'review',
  verb: 'lanes',
  summary: 'List the reviewer lanes.',
  recovers: false,
  args: [],
  flags: {
    probe: { kind: 'switch', summary: 'also check which are available; runs programs with --help and contacts hosts' },
    set: {
      kind: 'list',
      value: '<key>=<value>',
      summary: 'configuration of this call; may be given again',
      whole: true,
    },
  },
  examples: ['gsd review lanes', 'gsd review lanes --probe --json'],
  async run(context, { flags }) {
    const [{ openReview }, { probeLane }] = await Promise.all([
      import('./open-review.ts'),
      import('../../../review/probe-lane.ts'),
    ])
    const { lanes, warnings } = await openReview(context, flags.set)
    const cwd = context.project?.realRoot ?? context.cwd
    const { env, signal, offline } = context
    const probe = flags.probe && !flags['dry-run']
    const rows = await Promise.all(
      lanes.map(async (lane) => {
        const reason = probe ? await probeLane(lane, { env, signal, cwd, offline }) : lane.refused
        return {
          slug: lane.slug,
          flags: lane.flags,
          transport: lane.call.transport,
          evidenceClass: lane.evidence,
          model: lane.model,
          available: reason !== null ? false : probe ? true : null,
          reason,
          owner: lane.owner,
          scope: lane.scope,
        }
      }),
    )
    return {
      data: { lanes: rows },
      human: (view) =>
        view.table<(typeof rows)[number]>(
          [
            { title: 'lane', cell: ({ slug }) => slug },
            { title: 'flags', cell: (row) => row.flags.join(', ') },
            { title: 'transport', cell: ({ transport }) => transport },
            { title: 'evidence', cell: ({ evidenceClass }) => evidenceClass },
            { title: 'model', cell: ({ model }) => model ?? '-' },
            { title: 'scope', cell: ({ scope }) => scope },
            {
              title: 'available',
              cell: ({ available, reason }) =>
                available === null ? 'not checked' : available ? 'yes' : `no: ${reason ?? ''}`,
              cut: true,
            },
          ],
          rows,
        ),
      warnings: warnings(),
    }
  },
})

import type { ChooseHosts, InstallAnswer, InstalledRow } from '../../operation/plan/install-request.ts'
import { defineCommand, FETCH_FLAGS } from '../command.ts'
import { terminalConsentPrompt } from '../consent-prompt.ts'
import type { Terminal } from '../terminal.ts'
import { planLines } from '../view/plan-lines.ts'
import type { View } from '../view/view.ts'

export const install = defineCommand({
  noun: 'capability',
  verb: 'install',
  aliases: ['add'],
  summary: 'Install capabilities from folders, archives, repositories, packages or catalogs.',
  args: [
    {
      name: 'spec',
      summary: 'source of a capability: ./folder, ./x.tgz, github:owner/repo, npm:name, … (gsd help specs)',
      many: true,
    },
  ],
  flags: {
    integrity: { kind: 'text', value: '<sha512-…>', summary: 'sha512 the archive must have; needs one spec' },
    runtime: { kind: 'list', value: '<id>', summary: 'host runtimes to wire, such as claude (gsd runtime list)' },
    settings: {
      kind: 'text',
      value: '<file>',
      summary: 'also wire this settings file; needs one spec and one --runtime',
    },
    downgrade: {
      kind: 'switch',
      negatable: true,
      summary: 'install an older version that fits this GSD, even if the spec pins one; --no-downgrade: never',
    },
    ...FETCH_FLAGS,
    'allow-hidden-unicode': { kind: 'switch', summary: 'allow text with invisible characters' },
    force: { kind: 'switch', summary: 'replace edited files (keeping copies), untracked folders and moved tags' },
    strict: { kind: 'switch', summary: 'refuse if a host cannot have every part; default: wire the rest' },
    replace: { kind: 'switch', summary: 'switch an installed capability to this source' },
  },
  examples: [
    'gsd capability install ./my-capability --runtime claude',
    "gsd capability install 'https://github.com/owner/repo#v1.2.0' --runtime claude,codex",
    "gsd capability install 'npm:@org/name@^1.0.0' --scope project",
    'gsd capability install ./x.tgz --integrity sha512-… --yes',
  ],
  async run(context, { args, flags, terminal }) {
    const operation = await import('../../operation/install.ts')
    const answer = await operation.install(context, {
      specs: args,
      scope: flags.scope ?? 'global',
      integrity: flags.integrity ?? null,
      runtimes: [...new Set(flags.runtime)],
      chooseHosts: hostChooser(terminal),
      settings: flags.settings ?? null,
      force: flags.force,
      strict: flags.strict,
      replace: flags.replace,
      allowHttp: flags['allow-http'],
      downgrade: flags.downgrade ?? null,
      allowHidden: flags['allow-hidden-unicode'],
      dryRun: flags['dry-run'],
      consentPrompt: terminalConsentPrompt(terminal, flags.yes),
    })
    const { warnings, ...data } = answer
    return { data, human: (view) => text(answer, view), warnings }
  },
})

const hostChooser = ({ choose }: Terminal): ChooseHosts | null =>
  choose === null
    ? null
    : (offers) =>
        choose(
          'Which hosts should it be wired into?',
          offers.map(({ id, title, preselected }) => ({ value: id, label: `${title} (${id})`, preselected })),
        )

const text = ({ installed, unchanged, plan }: InstallAnswer, view: View): string =>
  [
    ...installed.map((row) => rowText(row, plan !== undefined, view)),
    ...unchanged.map((id) => `${id} is already installed with the same content`),
    ...(plan === undefined ? [] : planLines(plan, view)),
  ].join('\n')

const rowText = (row: InstalledRow, planned: boolean, view: View): string => {
  const verb = planned ? 'would install' : 'installed'
  return [
    `${view.style('green', verb)} ${row.id} ${row.version} (${row.scope}) from ${row.spec}`,
    ...row.wired.map(({ runtime, file }) => `  ${planned ? 'would wire' : 'wired'} into ${runtime}: ${file}`),
    ...row.notWired.map(({ runtime, reason }) => `  not wired into ${runtime}: ${reason}`),
    ...(view.verbose ? [`  ${row.digest}`] : []),
  ].join('\n')
}

import type { Role } from '../manifest/manifest.ts'

/** A file of a new capability. */
export interface ScaffoldFile {
  /** Relative to its folder, with `/`. */
  readonly path: string
  readonly text: string
  readonly executable?: true
}

/** Where an editor finds the schema once the package is installed next to the capability. */
const SCHEMA_PATH = './node_modules/gsd-capability/schemas/capability.schema.json'

/** Role → the files of a small valid capability. */
export const SCAFFOLDS = {
  feature: (id) => [
    manifest({
      ...envelope(id, 'feature', `A few words that name ${id}`, 'One or two sentences on what this does for its user.'),
      runtimeCompat: { supported: ['*'], unsupported: [] },
      skills: [id],
      agents: [],
      hooks: [{ event: 'SessionStart', script: 'hooks/session-start.sh', timeout: 10 }],
      config: {
        [`${id}.enabled`]: { type: 'boolean', default: true, description: `Whether ${id} takes part in the loop.` },
      },
      activationKey: `${id}.enabled`,
      steps: [],
      contributions: [
        {
          point: 'plan:pre',
          into: 'planner',
          produces: [],
          consumes: ['CONTEXT.md'],
          fragment: { path: 'fragments/plan.md' },
          when: `${id}.enabled`,
        },
      ],
      gates: [],
    }),
    IGNORE,
    readme(id, [
      '- `skills/` what an agent can be asked to do',
      '- `hooks/` scripts that the host runs',
      '- `fragments/` text that joins the prompts of the loop',
      '- `test/event.json` what a host hands to the hook, to try it with:',
      '',
      '```sh',
      'sh hooks/session-start.sh < test/event.json',
      '```',
    ]),
    {
      path: `skills/${id}/SKILL.md`,
      text: `---\nname: ${id}\ndescription: Say when an agent should use this, in one sentence.\n---\n\n# ${id}\n\nSay what to do, step by step.\n`,
    },
    {
      path: 'hooks/session-start.sh',
      text: '#!/bin/sh\n# The host hands the event as JSON on standard input.\ncat > /dev/null\nexit 0\n',
      executable: true,
    },
    { path: 'fragments/plan.md', text: 'Say what the planner should keep in mind, in a few lines.\n' },
    { path: 'test/event.json', text: json({ hook_event_name: 'SessionStart', source: 'startup', cwd: '.' }) },
  ],

  runtime: (id) => [
    manifest({
      ...envelope(id, 'runtime', id, 'The coding agent this describes, and where it keeps its files.'),
      runtime: {
        configHome: { kind: 'dot-home', name: `.${id}`, env: [`${id.replaceAll('-', '_').toUpperCase()}_HOME`] },
        localConfigDir: `.${id}`,
        configFormat: 'settings-json',
        artifactLayout: {
          global: [{ kind: 'skills', destSubpath: 'skills', prefix: 'gsd-', nesting: 'nested' }],
          local: [{ kind: 'skills', destSubpath: 'skills', prefix: 'gsd-', nesting: 'nested' }],
        },
        commandStyle: 'slash-hyphen',
        hooksSurface: 'none',
        sandboxTier: 'none',
        supportTier: 2,
        installSurface: 'none',
        writesSharedSettings: false,
        permissionWriter: null,
      },
    }),
    IGNORE,
    readme(id, ['- `test/homes.json` environments and the home each of them gives']),
    { path: 'test/homes.json', text: json([{ env: {}, home: `~/.${id}` }]) },
  ],

  reviewer: (id) => [
    manifest({
      ...envelope(id, 'reviewer', id, 'The program or model that reviews plans, and what it is good at.'),
      reviewer: {
        slug: id,
        flags: [`--${id}`],
        transport: 'spawn',
        probe: { kind: 'command-exists', binary: id },
        invoke: {
          binary: id,
          args: ['review', '-'],
          promptChannel: 'stdin',
          outputChannel: 'stdout',
          modelArg: null,
          effortChannel: 'none',
        },
        timeoutFloorMs: 300000,
        emptyOutput: 'stub-with-stderr',
        reviewsSection: id,
        evidenceClass: 'diff-only',
        requiresBinaries: [],
        promptBudgetKey: null,
        modelConfigKey: null,
        handler: null,
      },
    }),
    IGNORE,
    readme(id, [
      '- `test/plan.md` a plan to try the reviewer on:',
      '',
      '```sh',
      `${id} review - < test/plan.md`,
      '```',
    ]),
    { path: 'test/plan.md', text: '# Plan\n\n1. Add a button.\n2. Test it.\n' },
  ],
} satisfies Record<Role, (id: string) => readonly ScaffoldFile[]>

const envelope = (id: string, role: Role, title: string, description: string) => ({
  $schema: SCHEMA_PATH,
  id,
  role,
  version: '0.1.0',
  title,
  description,
  tier: 'full',
  requires: [],
  engines: { gsd: '>=1.14.0' },
  license: 'MIT',
})

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const manifest = (value: unknown): ScaffoldFile => ({ path: 'capability.json', text: json(value) })
const IGNORE: ScaffoldFile = {
  path: '.gsdignore',
  text: '# What stays out of the bundle, in the grammar of .gitignore.\n.env\n*.tgz\n/test/\n',
}

const readme = (id: string, lines: readonly string[]): ScaffoldFile => ({
  path: 'README.md',
  text: [
    `# ${id}`,
    '',
    'A GSD capability. `capability.json` says what it is; an editor checks it by its `$schema` once `gsd-capability` is',
    'installed here.',
    '',
    ...lines,
    '',
    'Check it, try it, pack it:',
    '',
    '```sh',
    'gsd capability validate .',
    'gsd capability install .',
    'gsd capability pack .',
    '```',
    '',
  ].join('\n'),
})

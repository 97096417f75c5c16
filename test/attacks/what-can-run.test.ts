import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import { grantIn, installIn, updateIn } from '../helpers/operations.ts'
import { type BundleOptions, useScratch } from '../helpers/scratch.ts'

const scratch = useScratch()

const NOBODY: ConsentPrompt = { assumeYes: false, confirm: null, disclose: () => undefined }

type Files = Readonly<Record<string, string | Buffer>>

interface Case {
  readonly manifest: Record<string, unknown>
  readonly files: Files
  readonly changed: Files
  /** Files with the execute bit. */
  readonly executable?: readonly string[]
}

const server = (members: Record<string, unknown>): Record<string, unknown> => ({
  hooks: [],
  mcpServers: { db: { command: 'node', ...members } },
})

const gate = (command: string): Record<string, unknown> => ({
  hooks: [],
  gates: [
    {
      point: 'execute:pre',
      check: { predicate: { kind: 'command-exit-zero', command } },
      blocking: false,
      onError: 'skip',
    },
  ],
})

const lane = (invoke: Record<string, unknown>): Record<string, unknown> => ({
  role: 'reviewer',
  hooks: undefined,
  runtimeCompat: undefined,
  skills: undefined,
  agents: undefined,
  config: undefined,
  steps: undefined,
  contributions: undefined,
  gates: undefined,
  reviewer: {
    slug: 'local',
    flags: ['--local'],
    transport: 'spawn',
    probe: { kind: 'command-exists', binary: 'sh' },
    invoke: {
      binary: 'sh',
      args: [],
      promptChannel: 'stdin',
      outputChannel: 'stdout',
      modelArg: null,
      effortChannel: 'none',
      ...invoke,
    },
    timeoutFloorMs: 1000,
    emptyOutput: 'stub-with-stderr',
    reviewsSection: 'Local',
    evidenceClass: 'source-grounded',
    requiresBinaries: [],
    promptBudgetKey: null,
    modelConfigKey: null,
    handler: null,
  },
})

const change = (path: string): Pick<Case, 'files' | 'changed'> => ({
  files: { [path]: 'a\n' },
  changed: { [path]: 'b\n' },
})

/** Every file of these may be reached by what the capability runs. */
const REACHED: Readonly<Record<string, Case>> = {
  "a lane's script in its arguments": { manifest: lane({ args: ['lib/review.sh'] }), ...change('lib/review.sh') },
  "a lane's Markdown file in its arguments": { manifest: lane({ args: ['./review.md'] }), ...change('review.md') },
  'a file beside a lane that names none': { manifest: lane({}), ...change('data.json') },
  'a module that NODE_OPTIONS requires': {
    manifest: server({ env: { NODE_OPTIONS: '--require=./lib/pre.cjs' } }),
    ...change('lib/pre.cjs'),
  },
  'a text file that NODE_OPTIONS requires': {
    manifest: server({ env: { NODE_OPTIONS: '--require=./lib/pre.txt' } }),
    ...change('lib/pre.txt'),
  },
  'a file that an environment variable names from another folder': {
    manifest: server({ env: { BASH_ENV: '${ROOT}/a/../notes.md' } }),
    ...change('notes.md'),
  },
  'a Markdown file that a shell runs': {
    manifest: server({ command: 'sh', args: ['serve.md'] }),
    ...change('serve.md'),
  },
  'a Markdown file that a glob matches': {
    manifest: server({ command: 'sh', args: ['-c', 'cat docs/*.m? | sh'] }),
    ...change('docs/serve.md'),
  },
  'a Markdown file that braces name': {
    manifest: server({ command: 'sh', args: ['-c', 'sh serve.{md,txt}'] }),
    ...change('serve.md'),
  },
  'a Markdown file in a folder that is an argument': {
    manifest: server({ args: ['./docs/'] }),
    ...change('docs/deep/serve.md'),
  },
  'a Markdown file whose name is quoted in pieces': { manifest: gate(`sh ser"ve".m'd'`), ...change('serve.md') },
  'a Markdown file whose name is computed': { manifest: gate('sh $(printf %s serve .md)'), ...change('serve.md') },
  'a Markdown file whose name is put into a variable': {
    manifest: gate('f=serve; sh $f.md'),
    ...change('serve.md'),
  },
  'a Markdown file in other letters': { manifest: server({ args: ['SERVE.MD'] }), ...change('serve.md') },
  'a Markdown file in a url': {
    manifest: { hooks: [], mcpServers: { net: { type: 'http', url: 'https://x.example/serve%2Emd' } } },
    ...change('serve.md'),
  },
  'a picture beside a remote server': {
    manifest: { hooks: [], mcpServers: { net: { type: 'http', url: 'https://x.example/' } } },
    ...change('logo.png'),
  },
  'an executable script in a bundle of skills': {
    manifest: { hooks: [], skills: ['s'] },
    files: { 'skills/s/SKILL.md': '# s\n', 'scripts/run.sh': 'echo a\n' },
    changed: { 'scripts/run.sh': 'echo b\n' },
    executable: ['scripts/run.sh'],
  },
  'a Markdown file with an execute bit': { manifest: {}, ...change('notes.md'), executable: ['notes.md'] },
  'a Markdown file that starts with #!': {
    manifest: {},
    files: { 'notes.md': '#!/bin/sh\na\n' },
    changed: { 'notes.md': '#!/bin/sh\nb\n' },
  },
  'a Markdown file that started with #!': {
    manifest: {},
    files: { 'notes.md': '#!/bin/sh\na\n' },
    changed: { 'notes.md': 'a\n' },
  },
  'a data file in a bundle that runs nothing': { manifest: { hooks: [], skills: ['s'] }, ...change('data.json') },
  'a list of packages to install': { manifest: {}, ...change('requirements.txt') },
}

const write = (to: string, { manifest, files, executable = [] }: Omit<Case, 'changed'>): string => {
  const skill: Files = manifest['skills'] === undefined ? {} : { 'skills/s/SKILL.md': '# s\n' }
  const options: BundleOptions = { to, manifest, files: { 'README.md': 'a\n', ...skill, ...files } }
  const dir = scratch.bundle('guard', options)
  for (const path of executable) chmodSync(`${dir}/${path}`, 0o755)
  return dir
}

describe.each(['global', 'project'] as const)('a change in the %s scope needs consent again in', (scope) => {
  test.each(Object.entries(REACHED))('%s', async (_what, each) => {
    const bundle = write('bundles/guard', each)
    await installIn(scratch.testContext().context, bundle, { scope })
    write('bundles/guard', { ...each, files: { ...each.files, ...each.changed } })
    const error = await scratch.refused(() =>
      updateIn(scratch.testContext().context, 'guard', { scope, consentPrompt: NOBODY }),
    )
    expect(error).toMatchObject({ code: 'CONSENT_REQUIRED', exitStatus: 3 })
    expect(await scratch.refused(() => scratch.install(bundle, { scope, consentPrompt: NOBODY }))).toMatchObject({
      code: 'CONSENT_REQUIRED',
    })
  })
})

describe('prose', () => {
  const PROSE: Readonly<Record<string, Omit<Case, 'changed' | 'files'>>> = {
    'beside a hook': { manifest: {} },
    'beside a server with a secret from the environment': {
      manifest: server({ command: 'npx', args: ['server'], env: { TOKEN: '${TOKEN}' } }),
    },
    'beside a lane with a placeholder': { manifest: lane({ args: ['-c', '{model}'] }) },
    'in a bundle that runs nothing': { manifest: { hooks: [], skills: ['s'] } },
  }

  test.each(Object.entries(PROSE))('%s is taken without a question', async (_what, { manifest }) => {
    const files = { 'docs/guide.md': 'a\n', 'notes.txt': 'a\n' }
    const bundle = write('bundles/guard', { manifest, files })
    await installIn(scratch.testContext().context, bundle)
    write('bundles/guard', {
      manifest: { ...manifest, version: '1.1.0', title: 'Other', description: 'Another one.' },
      files: { 'docs/guide.md': 'b\n', 'docs/more.md': 'c\n' },
    })
    const answer = await updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY })
    expect(answer.updated).toMatchObject([{ id: 'guard', version: '1.1.0' }])
  })

  const POLICIES: Readonly<Record<string, readonly [path: string, text: string]>> = {
    'the user': ['home/.gsd/policy.json', '{"schema":1,"prose_consent":true}'],
    'the user, written wrong': ['home/.gsd/policy.json', '{"schema":1,"prose_consent":"yes"}'],
    'the project': ['project/.planning/config.json', '{"capabilities":{"prose_consent":true}}'],
    'the project, as a dotted key': ['project/.planning/config.json', '{"capabilities.prose_consent":true}'],
  }

  test.each(Object.entries(POLICIES))('needs consent where policy of %s asks for it', async (_who, [path, text]) => {
    await installIn(scratch.testContext().context, write('bundles/guard', { manifest: {}, files: { 'a.md': 'a\n' } }))
    write('bundles/guard', { manifest: {}, files: { 'a.md': 'b\n' } })
    scratch.put(path, text)
    const update = () => updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY })
    expect(await scratch.refused(update)).toMatchObject({ code: 'CONSENT_REQUIRED' })
  })
})

describe('a grant that was recorded before scripts of skills were disclosed', () => {
  const skills = (text: string): Omit<Case, 'changed'> => ({
    manifest: { hooks: [], skills: ['s'] },
    files: { 'skills/s/SKILL.md': '# s\n', 'skills/s/run.sh': text },
  })

  /** Writes the signature of the surfaces without scripts of skills, as the earlier program did: here, of none. */
  const recordOld = async (file: string): Promise<void> => {
    const { surfaceSignature } = await import('../../src/trust/signature.ts')
    const old = surfaceSignature([])
    scratch.put(file, scratch.text(file).replaceAll(/("surfaces": )"sha512-[^"]+"/g, `$1"${old}"`))
  }

  test('is compared once: sync and update ask again, the latter with the difference', async () => {
    const { syncIn } = await import('../helpers/operations.ts')
    await installIn(scratch.testContext().context, write('bundles/guard', skills('echo a\n')))
    await recordOld('home/.gsd/ledger.json')
    await recordOld('home/.gsd/grants.json')
    expect(await syncIn(scratch.testContext().context, { frozen: true })).toMatchObject({
      warnings: [{ code: 'CONSENT_MISSING', id: 'guard' }],
    })
    write('bundles/guard', skills('echo b\n'))
    const error = await scratch.refused(() =>
      updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY }),
    )
    expect(error).toMatchObject({
      code: 'CONSENT_REQUIRED',
      details: { disclosure: [{ difference: { files: { changed: ['skills/s/run.sh'] } } }] },
    })
    await updateIn(scratch.testContext().context, 'guard')
    expect((await updateIn(scratch.testContext().context, 'guard', { consentPrompt: NOBODY })).unchanged).toEqual([
      'guard',
    ])
  })

  test('in a project is granted anew, and its files are not said to have changed', async () => {
    write('project/.gsd/capabilities/guard', skills('echo a\n'))
    await grantIn(scratch.testContext().context, 'guard')
    await recordOld('home/.gsd/grants.json')
    const rows = async () => (await scratch.list()).rows.filter(({ id }) => id === 'guard')
    expect(await rows()).toMatchObject([{ status: 'inactive', code: 'CONSENT_CHANGED' }])
    await grantIn(scratch.testContext().context, 'guard')
    expect(await rows()).toMatchObject([{ status: 'orphan' }])
  })
})

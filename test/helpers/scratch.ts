import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import type { Diagnostic } from '../../src/diagnostic.ts'
import { GsdError } from '../../src/errors.ts'
import type { Manifest } from '../../src/manifest/manifest.ts'
import { install } from '../../src/operation/install.ts'
import type { InstallAnswer, InstallRequest } from '../../src/operation/plan/install-request.ts'
import type { RemoveRequest } from '../../src/operation/plan/plan-remove.ts'
import { remove, type RemoveAnswer } from '../../src/operation/remove.ts'
import { loadRegistryFor } from '../../src/overlay/load-registry.ts'
import type { Row } from '../../src/registry/registry.ts'
import type { ConsentPrompt } from '../../src/trust/consent/require-consent.ts'
import { capabilityWith } from './feature-manifest.ts'
import { makeTestContext, type TestContext, type TestContextOptions } from './test-context.ts'
import { differences, treeOf } from './tree.ts'

/** The contents of a test's bundle besides its id. */
export interface BundleOptions {
  /** Members of the manifest. Default: a hook on `PreToolUse` that runs `hooks/run.sh`. */
  readonly manifest?: Record<string, unknown>
  /** Path → content, in addition to `capability.json` and `hooks/run.sh`; null omits a file. */
  readonly files?: Readonly<Record<string, string | Buffer | null>>
  /** Folder to write it to, relative to the root. Default `bundles/<id>`. */
  readonly to?: string
}

/** A home, a project and the sources of bundles for one test, all below one folder, and the operations over them. */
export interface Scratch {
  /** Real path; its name contains a blank, a quote and a `$`. */
  readonly root: string
  readonly home: string
  readonly project: string
  /** Claude Code's settings, global and of the project. */
  readonly settings: string
  readonly projectSettings: string
  path(...path: readonly string[]): string
  /** Writes a file, with its parent folders. */
  put(path: string, content: string | Buffer, mode?: number): string
  text(path: string): string
  /** Writes a bundle folder and returns its path. An existing one is replaced. */
  bundle(id: string, options?: BundleOptions): string
  testContext(options?: TestContextOptions): TestContext
  install(
    spec: string | readonly string[],
    request?: Partial<InstallRequest>,
    world?: TestContextOptions,
  ): Promise<InstallAnswer>
  remove(
    id: string | readonly string[],
    request?: Partial<RemoveRequest>,
    world?: TestContextOptions,
  ): Promise<RemoveAnswer>
  list(world?: TestContextOptions): Promise<{ readonly rows: readonly Row[]; readonly warnings: readonly Diagnostic[] }>
  tree(): string[]
  /** Runs an operation that must be refused without any change. */
  refused(work: () => unknown): Promise<GsdError>
  /** Fails unless everything equals `before`. */
  expectTree(before: readonly string[]): void
}

/** Answers yes for `--yes`, and has no prompt otherwise. */
export const consentPrompt = (assumeYes = true): ConsentPrompt => ({
  assumeYes,
  confirm: null,
  disclose: () => undefined,
})

/** The hook script of a bundle, unless a test has its own. */
export const HOOK = '#!/bin/sh\ncat >/dev/null\necho "hook of a test ran"\n'

/** Everything below a folder except caches, which can be created again. */
export const treeState = (root: string, options: { readonly skeleton?: boolean } = {}): string[] =>
  treeOf(root, { ...options, without: ['cache/gsd-capability/registry'] }).filter(
    (line) => !/^cache\/(?:gsd-capability\/)? \d+$/.test(line),
  )

/** Gives each test of a file a scratch folder of its own. */
export const useScratch = (name = "gsd it's $HOME "): Scratch => {
  let root = ''
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), name)))
    mkdirSync(join(root, 'home'))
    mkdirSync(join(root, 'project/.git'), { recursive: true })
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const scratch: Scratch = {
    get root() {
      return root
    },
    get home() {
      return join(root, 'home')
    },
    get project() {
      return join(root, 'project')
    },
    get settings() {
      return join(root, 'home/.claude/settings.json')
    },
    get projectSettings() {
      return join(root, 'project/.claude/settings.local.json')
    },
    path: (...path) => join(root, ...path),
    put(path, content, mode) {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, content)
      if (mode !== undefined) chmodSync(file, mode)
      return file
    },
    text: (path) => readFileSync(join(root, path), 'utf8'),
    bundle: (id, { manifest = {}, files = {}, to = `bundles/${id}` } = {}) => {
      rmSync(join(root, to), { recursive: true, force: true })
      for (const [path, content] of Object.entries({ ...bundleFiles(id, manifest), ...files }))
        if (content !== null) scratch.put(join(to, path), content)
      return join(root, to)
    },
    testContext: (options) => makeTestContext(root, options),
    install: (spec, request, world) =>
      install(scratch.testContext(world).context, {
        specs: [spec].flat(),
        scope: 'global',
        integrity: null,
        runtimes: [],
        settings: null,
        force: false,
        replace: false,
        allowHttp: false,
        allowHidden: false,
        dryRun: false,
        consentPrompt: consentPrompt(),
        ...request,
      }),
    remove: (id, request, world) =>
      remove(scratch.testContext(world).context, {
        ids: [id].flat(),
        scope: 'global',
        runtime: null,
        purgeData: false,
        force: false,
        dryRun: false,
        ...request,
      }),
    list: (world) => loadRegistryFor(scratch.testContext(world).context),
    tree: () => treeState(root),
    async refused(work) {
      const everything = (): string[] => treeState(root, { skeleton: true })
      const before = everything()
      const error = await refusalOf(work)
      expect(differences(before, everything())).toEqual([])
      return error
    },
    expectTree: (before) => expect(differences(before, treeState(root))).toEqual([]),
  }
  return scratch
}

/** `capability.json` and the script of its hook. */
export const bundleFiles = (id: string, manifest: Record<string, unknown> = {}): Record<string, string> => ({
  'capability.json': `${JSON.stringify(manifestOf(id, manifest), null, 2)}\n`,
  'hooks/run.sh': HOOK,
})

const manifestOf = (id: string, rest: Record<string, unknown>): Manifest =>
  capabilityWith(id, [{ event: 'PreToolUse', matcher: 'Bash', script: 'hooks/run.sh', timeout: 5 }], rest)

/** The error of a refused operation; a success, or another error, fails the test. */
export const refusalOf = async (work: () => unknown): Promise<GsdError> => {
  try {
    await work()
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

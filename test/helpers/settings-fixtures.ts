import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HostHook } from '../../src/host/host-edit.ts'
import { hostHooks } from '../../src/host/host-hooks.ts'
import { runtimeOf } from '../../src/host/runtime-of.ts'
import type { Hook } from '../../src/manifest/manifest.ts'
import { capabilityWith } from './feature-manifest.ts'

export const SETTINGS_FIXTURES = join(import.meta.dirname, '../../fixtures/settings')

/**
 * One file of a host: `before`, `after` an install; where there is more, `edited` by the user and what is `left` of that
 * after a removal. Null: there is no file.
 */
export interface SettingsFixture {
  readonly extension: string
  readonly before: string | null
  readonly after: string | null
  readonly edited: string | null
  readonly left: string | null
  readonly terms: FixtureTerms
}

/** `case.json`: what differs from the usual hooks in the usual folder. */
export interface FixtureTerms {
  readonly hooks?: readonly Hook[]
  /** Where the capabilities lie. */
  readonly folder?: string
  /** Code of the refusal: then there is no `after`. */
  readonly refused?: string
}

/** Folders of `fixtures/settings`, each with the runtime whose files are in it. */
export const fixtureHosts = (): readonly string[] => readdirSync(SETTINGS_FIXTURES)

export const readFixture = (host: string, name: string): SettingsFixture => {
  const folder = join(SETTINGS_FIXTURES, host, name)
  const extension =
    readdirSync(folder)
      .find((file) => !file.startsWith('case.'))
      ?.split('.')[1] ?? ''
  const read = (part: string): string | null => {
    const file = join(folder, `${part}.${extension}`)
    return existsSync(file) ? readFileSync(file, 'utf8') : null
  }
  const terms = join(folder, 'case.json')
  return {
    extension,
    before: read('before'),
    after: read('after'),
    edited: read('edited'),
    left: read('left'),
    terms: existsSync(terms) ? (JSON.parse(readFileSync(terms, 'utf8')) as FixtureTerms) : {},
  }
}

/** What is installed, for hosts that can limit a hook to some tools and for those that cannot. */
export const fixtureHooks = (
  runtime: string,
  id: string,
  seconds: number,
  { hooks, folder = '/home/u/.gsd/capabilities' }: FixtureTerms,
): readonly HostHook[] => {
  const limited = runtimeOf(runtime).matcher === null ? {} : { matcher: 'Bash|Write' }
  const usual: readonly Hook[] = [
    { event: 'PreToolUse', script: 'hooks/run.sh', ...limited, timeout: seconds },
    ...(runtime === 'cline' ? [] : [{ event: 'Stop', script: 'hooks/run.sh' }]),
  ]
  const own = hooks?.map((hook) => (hook.timeout === undefined ? hook : { ...hook, timeout: hook.timeout + seconds }))
  return hostHooks(capabilityWith(id, own ?? usual), runtimeOf(runtime), `${folder}/${id}`, [
    { path: 'hooks/run.sh', shebang: true },
    { path: 'hooks/run.cjs', shebang: false },
  ])
}

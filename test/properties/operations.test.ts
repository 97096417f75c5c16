import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { fc } from '../helpers/property.ts'
import { treeState, useScratch } from '../helpers/scratch.ts'
import { settingsText, tidySettingsText } from '../helpers/settings-text.ts'

const scratch = useScratch()

const IDS = ['one', 'two', 'three'] as const
const HOSTS = ['claude', 'codex', 'qwen'] as const
const script = 'hooks/run.sh'
/** Versions of a capability, by its hooks. */
const VERSIONS = [
  [{ event: 'PreToolUse', matcher: 'Bash', script }],
  [{ event: 'Stop', script, timeout: 5 }],
  [
    { event: 'PreToolUse', matcher: 'Bash', script },
    { event: 'PreToolUse', matcher: 'Read', script },
    { event: 'SessionStart', script },
  ],
  [],
] as const

type Step =
  | {
      readonly do: 'install'
      readonly id: (typeof IDS)[number]
      readonly version: number
      readonly runtimes: readonly string[]
    }
  | { readonly do: 'remove'; readonly id: (typeof IDS)[number]; readonly runtime: string | null }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('install' as const),
      id: fc.constantFrom(...IDS),
      version: fc.nat({ max: VERSIONS.length - 1 }),
      runtimes: fc.subarray([...HOSTS]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('remove' as const),
      id: fc.constantFrom(...IDS),
      runtime: fc.option(fc.constantFrom(...HOSTS), { freq: 2 }),
    }),
  },
)

const FILES: Readonly<Record<string, string>> = {
  claude: 'home/.claude/settings.json',
  codex: 'home/.codex/hooks.json',
  qwen: 'home/.qwen/settings.json',
}

/** How often a host's file contains a capability's script. */
const occurrences = (host: string, id: string): number => {
  const file = FILES[host] ?? ''
  const lines = treeState(scratch.root).filter((line) => line.startsWith(`${file} `))
  return lines.join().split(`/capabilities/${id}/hooks/run.sh`).length - 1
}

test('after installs, updates and removals in any order each file contains exactly the wired entries, and in the end the original', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 9 }),
      fc.oneof(settingsText, tidySettingsText),
      fc.option(tidySettingsText),
      async (steps, claude, qwen) => {
        rmSync(scratch.home, { recursive: true, force: true })
        scratch.put('home/.claude/settings.json', claude, 0o600)
        if (qwen !== null) scratch.put('home/.qwen/settings.json', qwen)
        scratch.put('home/.codex/config.toml', 'model = "x"\n')
        for (const id of IDS) scratch.bundle(id)
        const before = scratch.tree()
        const installed = new Map<string, { version: number; readonly hosts: Set<string> }>()
        for (const { id, ...one } of steps) {
          if (one.do === 'install') {
            scratch.bundle(id, { manifest: { hooks: VERSIONS[one.version] } })
            try {
              await scratch.install(scratch.path('bundles', id), { runtimes: one.runtimes })
            } catch (error) {
              // A text without room for a hook is refused, and nothing changes.
              if (!(error instanceof GsdError) || !error.code.startsWith('HOST_SETTINGS_')) throw error
              continue
            }
            const hosts = new Set([...(installed.get(id)?.hosts ?? []), ...one.runtimes])
            installed.set(id, { version: one.version, hosts })
          } else if (installed.has(id)) {
            await scratch.remove(id, { runtime: one.runtime })
            if (one.runtime === null) installed.delete(id)
            else installed.get(id)?.hosts.delete(one.runtime)
          }
          for (const other of IDS) {
            const now = installed.get(other)
            for (const host of HOSTS) {
              const hooks = now?.hosts.has(host) === true ? (VERSIONS[now.version] ?? []) : []
              expect(occurrences(host, other), `${other} in ${host}`).toBe(hooks.length)
            }
          }
        }
        for (const id of installed.keys()) await scratch.remove(id)
        for (const id of IDS) scratch.bundle(id)
        scratch.expectTree(before)
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 8) },
  )
})

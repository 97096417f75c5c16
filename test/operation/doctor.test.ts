import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { jsonText } from '../../src/state/json-text.ts'
import { createStaging } from '../../src/transaction/staging.ts'
import { type Machine, makeMachine } from '../helpers/gsd.ts'
import { doctorIn, fixIn, installIn, recoverAndLoad, removeIn, setEnabledIn } from '../helpers/operations.ts'
import { deadProcess, makeTestContext } from '../helpers/test-context.ts'
import { differences, treeOf } from '../helpers/tree.ts'

let machine: Machine
beforeEach(() => {
  machine = makeMachine()
  put('home/.claude/settings.json', SETTINGS)
})
afterEach(() => machine.remove())

const SETTINGS = '{\n  // mine\n  "model": "x"\n}\n'
const at = (...path: readonly string[]): string => join(machine.root, ...path)
const put = (path: string, text: string): void => void machine.put(path, text)
const bundle: Machine['bundle'] = (id, manifest) => machine.bundle(id, manifest, { 'a.md': 'a\n' })
const context = (): Context => makeTestContext(machine.root).context
const tree = (): string[] =>
  treeOf(machine.root, { without: ['cache'] }).map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'))

/** A JSON file of the program, edited as by hand. */
interface Kept {
  readonly capabilities: Record<string, Record<string, unknown>>
  readonly grants: Record<string, unknown>
}
const editJson = (path: string, change: (value: Kept) => object): void => {
  const value = JSON.parse(readFileSync(at(path), 'utf8')) as Kept
  writeFileSync(at(path), jsonText({ ...value, ...change(value) } as never))
}
/** A ledger with other members in the entry of `one`. */
const withEntry =
  (members: object) =>
  ({ capabilities }: Kept): object => ({
    capabilities: { ...capabilities, one: { ...capabilities['one'], ...members } },
  })
const privateOf = (scope: string): string =>
  scope === 'global' ? 'home/.gsd' : (context().project?.private ?? '').slice(machine.root.length + 1)
const settingsOf = (scope: string): string =>
  scope === 'global' ? 'home/.claude/settings.json' : 'project/.claude/settings.local.json'
const gsdOf = (scope: string): string => (scope === 'global' ? 'home/.gsd' : 'project/.gsd')

const SCOPES = ['global', 'project'] as const
type Scope = (typeof SCOPES)[number]

/** The command that a hint starts with: `gsd capability sync --scope global`. */
const commandIn = (hint: string | undefined): string[] | null => {
  const [command] = /^gsd [^:;,(]+/.exec(hint ?? '') ?? []
  return command === undefined ? null : command.trim().split(' ').slice(1)
}

interface Problem {
  readonly make: (scope: Scope) => void | Promise<void>
  readonly says: RegExp
  /** `fix`: by --fix alone; `command`: by the command in the hint; a text: the manual step in the hint. */
  readonly mends: 'fix' | 'command' | { readonly hint: RegExp; readonly hand: (scope: Scope) => void | Promise<void> }
  readonly only?: Scope
  /** The disk afterwards differs from before. */
  readonly differs?: true
}

const PROBLEMS: Readonly<Record<string, Problem>> = {
  'the folder of a bundle is gone': {
    make: (scope) => rmSync(at(gsdOf(scope), 'capabilities/one'), { recursive: true }),
    says: /"one" .*differ from what was installed/,
    mends: 'fix',
  },
  'all bundles are gone': {
    make: (scope) => rmSync(at(gsdOf(scope), 'capabilities'), { recursive: true }),
    says: /"one" .*differ from what was installed/,
    mends: 'fix',
  },
  'a file of a bundle is gone': {
    make: (scope) => rmSync(at(gsdOf(scope), 'capabilities/one/a.md')),
    says: /"one" .*"a\.md"/,
    mends: 'fix',
  },
  'the manifest of a bundle is gone': {
    make: (scope) => rmSync(at(gsdOf(scope), 'capabilities/one/capability.json')),
    says: /"one"/,
    mends: 'fix',
  },
  'a file of a bundle was edited': {
    make: (scope) => put(`${gsdOf(scope)}/capabilities/one/a.md`, 'mine\n'),
    says: /"one" .*"a\.md"/,
    mends: 'command',
    differs: true,
  },
  'the script of a hook is not executable any more': {
    make: (scope) => chmodSync(at(gsdOf(scope), 'capabilities/one/hooks/run.sh'), 0o644),
    says: /"one" .*"hooks\/run\.sh"/,
    mends: 'fix',
  },
  'the manifest of a bundle was edited and is not valid': {
    make: (scope) => put(`${gsdOf(scope)}/capabilities/one/capability.json`, '{ "id": "one" '),
    says: /"one" .*"capability\.json"/,
    mends: 'command',
    differs: true,
  },
  'a link lies in a bundle': {
    make: (scope) => symlinkSync('a.md', at(gsdOf(scope), 'capabilities/one/link')),
    says: /"one" .*"link" is a symbolic link/,
    mends: { hint: /move it away/, hand: (scope) => rmSync(at(gsdOf(scope), 'capabilities/one/link')) },
  },
  'a bundle is a link to a copy of it': {
    make: (scope) => {
      renameSync(at(gsdOf(scope), 'capabilities/one'), at('elsewhere'))
      symlinkSync(at('elsewhere'), at(gsdOf(scope), 'capabilities/one'))
    },
    says: /link/,
    mends: {
      hint: /./,
      hand: (scope) => {
        rmSync(at(gsdOf(scope), 'capabilities/one'))
        renameSync(at('elsewhere'), at(gsdOf(scope), 'capabilities/one'))
      },
    },
    only: 'project',
  },
  'a receipt is gone': {
    make: (scope) => rmSync(at(gsdOf(scope), 'receipts/one.json')),
    says: /receipt .*"one"/,
    mends: 'fix',
  },
  'a receipt cannot be read': {
    make: (scope) => put(`${gsdOf(scope)}/receipts/one.json`, '{ "schema": 1, '),
    says: /receipt .*one/,
    mends: 'fix',
  },
  'a receipt is of something else': {
    make: (scope) => editJson(`${gsdOf(scope)}/receipts/one.json`, () => ({ digest: `sha512-${'A'.repeat(86)}==` })),
    says: /receipt .*"one"/,
    mends: 'fix',
  },
  'a receipt is of nothing that is installed': {
    make: (scope) => put(`${gsdOf(scope)}/receipts/four.json`, '{}'),
    says: /receipt .*"four"/,
    mends: 'fix',
  },
  'the ledger does not know a bundle': {
    make: (scope) =>
      editJson(`${gsdOf(scope)}/ledger.json`, ({ capabilities: { one: _one, ...rest } }) => ({ capabilities: rest })),
    says: /"one" .*not in the ledger/,
    mends: 'fix',
    differs: true,
  },
  'the ledger does not know a bundle in which a link lies': {
    make: (scope) => {
      editJson(`${gsdOf(scope)}/ledger.json`, ({ capabilities: { one: _one, ...rest } }) => ({ capabilities: rest }))
      symlinkSync('a.md', at(gsdOf(scope), 'capabilities/one/link'))
    },
    says: /"one" .*cannot be added: "link" is a symbolic link/,
    mends: {
      hint: /move that away/,
      hand: async (scope) => {
        const before = tree()
        await fixIn(context())
        expect(differences(before, tree())).toEqual([])
        rmSync(at(gsdOf(scope), 'capabilities/one/link'))
        await fixIn(context())
      },
    },
    only: 'global',
    differs: true,
  },
  'the ledger is gone': {
    make: (scope) => rmSync(at(gsdOf(scope), 'ledger.json')),
    says: /"one" .*not in the ledger/,
    mends: 'fix',
    differs: true,
  },
  'the ledger names a host less': {
    make: (scope) => editJson(`${gsdOf(scope)}/ledger.json`, withEntry({ runtimes: [] })),
    says: /"one" .*claude|"one" .*settings/,
    mends: 'fix',
    differs: true,
  },
  'the ledger names a host more': {
    make: (scope) => editJson(`${gsdOf(scope)}/ledger.json`, withEntry({ runtimes: ['claude', 'codex'] })),
    says: /"one" in codex/,
    mends: 'fix',
    differs: true,
  },
  'the ledger has another version than the bundle': {
    make: (scope) => editJson(`${gsdOf(scope)}/ledger.json`, withEntry({ version: '9.9.9' })),
    says: /ledger .*"one"/,
    mends: 'fix',
  },
  'the ledger has another digest than the bundle': {
    make: (scope) => editJson(`${gsdOf(scope)}/ledger.json`, withEntry({ digest: `sha512-${'A'.repeat(86)}==` })),
    says: /"one"/,
    // Doctor tries to fetch the recorded source, and names the command that accepts the existing files.
    mends: {
      hint: /^gsd capability sync/,
      hand: async (scope) => {
        const { warnings } = await fixIn(context())
        expect(warnings.map(({ code, hint }) => [code, hint])).toEqual([
          ['INTEGRITY_DIGEST_MISMATCH', expect.stringMatching(/^gsd capability update one/)],
        ])
        expect(await machine.gsd(['cap', 'update', 'one', '--scope', scope, '--yes'])).toMatchObject({ status: 0 })
      },
    },
  },
  'what says what stands in hosts is gone': {
    make: (scope) => rmSync(at(privateOf(scope), 'hosts.json')),
    says: /"one" in claude: not wired here/,
    mends: 'fix',
    differs: true,
  },
  'a hook was taken out of a host': {
    make: (scope) => put(settingsOf(scope), scope === 'global' ? SETTINGS : '{}'),
    says: /"one" in claude: missing/,
    mends: 'fix',
    differs: true,
  },
  'a hook in a host was edited': {
    make: (scope) =>
      put(settingsOf(scope), readFileSync(at(settingsOf(scope)), 'utf8').replaceAll('"timeout": 5', '"timeout": 77')),
    says: /"one" in claude: edited/,
    mends: 'command',
    differs: true,
  },
  'the file of a host is gone': {
    make: (scope) => rmSync(at(settingsOf(scope))),
    says: /"one" in claude: missing/,
    mends: 'fix',
    differs: true,
  },
  'the file of a host cannot be understood': {
    make: (scope) => put(settingsOf(scope), '{ "hooks": '),
    says: /"one" in claude: unreadable/,
    mends: { hint: /^fix .*settings/, hand: (scope) => put(settingsOf(scope), scope === 'global' ? SETTINGS : '{}') },
    differs: true,
  },
  'something disabled stands in a host': {
    make: (scope) => put(`${gsdOf(scope)}/state.json`, jsonText({ schema: 1, capabilities: { one: 'disabled' } })),
    says: /"one" is wired .*although it is disabled/,
    mends: 'fix',
    differs: true,
  },
  'something enabled stands in no host': {
    differs: true,
    make: async (scope) => {
      await setEnabledIn(context(), 'disabled', 'one', { scope })
      rmSync(at(gsdOf(scope), 'state.json'))
    },
    says: /"one" in claude: not wired here/,
    mends: 'fix',
  },
  'what the user agreed to is gone': {
    make: () =>
      editJson('home/.gsd/grants.json', ({ grants }) => ({
        grants: Object.fromEntries(Object.entries(grants).filter(([key]) => !key.startsWith('one@'))),
      })),
    says: /"one".*never trusted here/,
    mends: 'command',
    only: 'project',
  },
  'an operation left its folders behind': {
    make: (scope) => {
      for (const folder of ['.staging', '.trash'])
        put(`${gsdOf(scope)}/${folder}/abc123-0123456789ab/capabilities/one/a.md`, 'a')
    },
    says: /left behind by an interrupted operation/,
    mends: 'fix',
  },
  'an operation left temporaries beside files': {
    make: (scope) => {
      put(`${gsdOf(scope)}/.ledger.json.gsd-abc123-0123456789ab`, '{')
      put(`${settingsOf(scope).replace(/[^/]*$/, '.$&')}.gsd-abc123-0123456789ab`, '{')
      put('home/.gsd/.grants.json.gsd-abc123-0123456789ab', '{')
    },
    says: /left behind by an interrupted operation/,
    mends: 'fix',
  },
  'an operation that has ended claims to run': {
    make: (scope) => {
      const dead = makeTestContext(machine.root, { identity: deadProcess() }).context
      createStaging(dead, dead[scope] ?? dead.global, 'abc123-0123456789ab')
    },
    says: /left behind by an interrupted operation/,
    mends: 'fix',
  },
  'a journal cannot be read': {
    make: (scope) => put(`${privateOf(scope)}/.journal.json`, '{ "schema": 1, '),
    says: /journal .*cannot be used/,
    mends: { hint: /move that file away/, hand: (scope) => rmSync(at(privateOf(scope), '.journal.json')) },
  },
  'a journal belongs to another folder': {
    make: (scope) =>
      put(
        `${privateOf(scope)}/.journal.json`,
        jsonText({
          schema: 1,
          operation: 'abc123-0123456789ab',
          command: 'install one',
          scope,
          root: '/elsewhere',
          changes: [],
        }),
      ),
    says: /"install one".*elsewhere/,
    mends: { hint: /delete .*journal/, hand: (scope) => rmSync(at(privateOf(scope), '.journal.json')) },
  },
  'a kept file holds a merge that is not settled': {
    make: (scope) => {
      const text = readFileSync(at(gsdOf(scope), 'ledger.json'), 'utf8')
      put(`${gsdOf(scope)}/ledger.json`, `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`)
    },
    says: /ledger .*merge conflict/,
    mends: {
      hint: /resolve the conflict/,
      hand: (scope) =>
        put(
          `${gsdOf(scope)}/ledger.json`,
          (readFileSync(at(gsdOf(scope), 'ledger.json'), 'utf8').split('=======\n')[0] ?? '').replace(
            '<<<<<<< ours\n',
            '',
          ),
        ),
    },
  },
  'the folder of a bundle was renamed': {
    make: (scope) => renameSync(at(gsdOf(scope), 'capabilities/one'), at(gsdOf(scope), 'capabilities/uno')),
    says: /"uno"/,
    mends: {
      hint: /rename the folder/,
      hand: (scope) => renameSync(at(gsdOf(scope), 'capabilities/uno'), at(gsdOf(scope), 'capabilities/one')),
    },
  },
  'what something requires is gone': {
    make: async (scope) => {
      await installIn(context(), bundle('top', { requires: ['two'] }), { scope })
      await removeIn(context(), 'two', { scope, force: true })
    },
    says: /"top".*"two"/,
    mends: {
      hint: /./,
      hand: async (scope) => void (await installIn(context(), bundle('two'), { scope, runtimes: ['claude'] })),
    },
    differs: true,
  },
}

const findings = async () => (await doctorIn(context())).findings

describe.each(SCOPES)('in the %s scope', (scope) => {
  const prepare = async (): Promise<void> => {
    await installIn(context(), [bundle('one'), bundle('two')], { scope, runtimes: ['claude'] })
    expect(await findings()).toEqual([])
  }

  test.each(Object.entries(PROBLEMS).filter(([, { only }]) => only === undefined || only === scope))(
    '%s: doctor reports it, and it can be fixed',
    async (_, { make, says, mends, differs }) => {
      await prepare()
      const healthy = tree()
      await make(scope)
      const damaged = tree()
      const found = await findings()
      expect(tree()).toEqual(damaged)
      const finding = found.find(({ message }) => says.test(message))
      expect({ found: found.map(({ message, hint }) => ({ message, hint })), finding }).toMatchObject({
        finding: { fixed: false },
      })
      expect(finding?.scope).toBe(scope)
      if (mends === 'fix') {
        expect(finding?.hint).toMatch(/^gsd capability (?:doctor --fix|sync)|^gsd capability trust revoke/)
        const { findings: after } = await fixIn(context())
        expect(after.filter(({ fixed }) => !fixed)).toEqual([])
      } else if (mends === 'command') {
        const command = commandIn(finding?.hint)
        const run = await machine.gsd([...(command ?? []), '--yes'])
        expect({ command, status: run.status, stderr: run.stderr }).toMatchObject({ status: 0 })
      } else {
        expect(finding?.hint).toMatch(mends.hint)
        await mends.hand(scope)
        await fixIn(context())
      }
      expect(await findings()).toEqual([])
      if (differs !== true) expect(differences(healthy, tree())).toEqual([])
      const { rows } = await recoverAndLoad(context())
      expect(rows.filter(({ id }) => ['one', 'two'].includes(id)).map(({ status }) => status)).toEqual(
        says.source.includes('disabled') ? ['disabled', 'active'] : ['active', 'active'],
      )
    },
  )
})

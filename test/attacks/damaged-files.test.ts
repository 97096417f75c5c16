import { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { GsdError } from '../../src/errors.ts'
import { verify } from '../../src/operation/verify.ts'
import { loadRegistryFor } from '../../src/overlay/load-registry.ts'
import { recoverAllScopes } from '../../src/transaction/recover.ts'
import {
  doctorIn,
  fixIn,
  grantIn,
  installIn,
  removeIn,
  revokeIn,
  setEnabledIn,
  syncIn,
  updateIn,
} from '../helpers/operations.ts'
import { refusalOf, useScratch } from '../helpers/scratch.ts'
import { differences, treeOf } from '../helpers/tree.ts'

const scratch = useScratch()
type Scope = 'global' | 'project'
const context = (): Context => scratch.testContext().context
const placesOf = (scope: Scope) => {
  const { global, project } = context()
  return scope === 'global' ? global : (project ?? global)
}

/** The program's own files, by their names in messages. */
const FILES: Readonly<Record<string, (scope: Scope) => string>> = {
  ledger: (scope) => placesOf(scope).ledger,
  'record of host files': (scope) => placesOf(scope).hosts,
  'state file': (scope) => placesOf(scope).state,
  'consent store': () => context().user.grants,
  'journal of an interrupted operation': (scope) => placesOf(scope).journal,
}
const NAMES = Object.keys(FILES)
const JOURNAL = 'journal of an interrupted operation'

interface Damage {
  readonly make: (file: string, text: string) => void
  readonly says: RegExp
  /** The message contains the position. */
  readonly line?: true
}

const DAMAGES: Readonly<Record<string, Damage>> = {
  truncated: {
    make: (file, text) => writeFileSync(file, text.slice(0, text.length / 2)),
    says: /ends|not JSON|expected|closed|string/i,
    line: true,
  },
  empty: { make: (file) => writeFileSync(file, ''), says: /empty/ },
  binary: { make: (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80])), says: /UTF-8/ },
  'edited by hand': {
    make: (file) =>
      writeFileSync(
        file,
        '{\n  "schema": 1,\n  "capabilities": [],\n  "files": [],\n  "grants": [],\n  "operation": 7\n}\n',
      ),
    says: /cannot be used: /,
    line: true,
  },
  conflicting: {
    make: (file, text) => writeFileSync(file, `<<<<<<< ours\n${text}=======\n${text}>>>>>>> theirs\n`),
    says: /merge conflict/,
    line: true,
  },
  'of a newer version': {
    make: (file, text) => writeFileSync(file, text.replace('"schema": 1', '"schema": 2')),
    says: /newer version/,
    line: true,
  },
  huge: {
    make: (file) => {
      writeFileSync(file, '{')
      truncateSync(file, 400 * 1024 * 1024)
    },
    says: /too large/,
  },
  'a folder': {
    make: (file) => {
      rmSync(file, { force: true })
      mkdirSync(file)
    },
    says: /not a regular file/,
  },
}

const CHANGES: Readonly<Record<string, (context: Context, scope: Scope) => Promise<unknown>>> = {
  install: (context, scope) => installIn(context, scratch.path('bundles/new'), { scope, runtimes: ['claude'] }),
  update: (context, scope) => updateIn(context, 'one', { scope }),
  remove: (context, scope) => removeIn(context, 'one', { scope }),
  'remove --force --purge-data': (context, scope) => removeIn(context, 'one', { scope, force: true, purgeData: true }),
  disable: (context, scope) => setEnabledIn(context, 'disabled', 'one', { scope }),
  grant: (context, scope) => grantIn(context, 'one', { scope }),
  revoke: (context, scope) => revokeIn(context, 'one', { scope }),
  sync: (context, scope) => syncIn(context, { scope, force: true }),
}

const IDLE: readonly string[] = ['grant', 'sync']

/** A complete installation with something disabled, a newer version, and a journal. */
const prepare = async (scope: Scope): Promise<void> => {
  scratch.put('home/.claude/settings.json', '// mine\n{}\n')
  await installIn(context(), [scratch.bundle('one'), scratch.bundle('two')], { scope, runtimes: ['claude'] })
  await setEnabledIn(context(), 'disabled', 'two', { scope })
  scratch.bundle('one', { manifest: { version: '2.0.0' } })
  scratch.bundle('new')
}
const JOURNAL_TEXT = '{\n  "schema": 1,\n  "operation": "abc123-0123456789ab",\n  "command": "install x"\n}\n'
const damage = (scope: Scope, name: string, { make }: Damage): string => {
  const file = FILES[name]?.(scope) ?? ''
  make(file, name === JOURNAL ? JOURNAL_TEXT : readFileSync(file, 'utf8'))
  return file
}
/** Everything except the cache and very large files. */
const tree = (): string[] => {
  const files = SCOPES.flatMap((scope) => NAMES.map((name) => FILES[name]?.(scope) ?? ''))
  const huge = files.filter((file) => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 1024 * 1024)
  return treeOf(scratch.root, { without: ['cache', ...huge.map((file) => file.slice(scratch.root.length + 1))] })
}

const SCOPES = ['global', 'project'] as const

describe.each(SCOPES)('in the %s scope', (scope) => {
  describe.each(NAMES)('a %s that is', (name) => {
    test.each(Object.entries(DAMAGES))('%s refuses every change and is left unchanged', async (damaged, kind) => {
      await prepare(scope)
      const file = damage(scope, name, kind)
      const before = tree()
      for (const [verb, change] of Object.entries(CHANGES)) {
        // These commands have nothing to change here, so nothing is refused.
        if (name === JOURNAL && IDLE.includes(verb)) continue
        // These need no grants: see grants.test.ts.
        if (name === 'consent store' && /^(remove|disable)/.test(verb)) continue
        // Every verb is run with one damage, and every damage with some verbs.
        if (damaged !== 'truncated' && !['install', 'remove', 'disable'].includes(verb)) continue
        const { context: each } = scratch.testContext()
        const error = await refusalOf(async () => {
          await recoverAllScopes(each)
          await change(each, scope)
        })
        expect({ verb, code: error.code, status: error.exitStatus, message: error.message }).toMatchObject({
          status: 4,
        })
        expect(error.message).toContain(file)
        expect(error.message).toMatch(kind.says)
        if (kind.line === true) expect(error.message).toMatch(/line \d+, column \d+/)
        expect(error.hint ?? '').not.toBe('')
        expect({ verb, changed: differences(before, tree()) }).toEqual({ verb, changed: [] })
      }
    })

    test.each(Object.entries(DAMAGES))('%s does not stop reading commands, which report it', async (_, kind) => {
      await prepare(scope)
      const file = damage(scope, name, kind)
      const before = tree()
      const { context: reader, reports } = scratch.testContext()
      await recoverAllScopes(reader)
      const { rows, warnings } = await loadRegistryFor(reader)
      const reported = [
        ...warnings,
        ...reports.flatMap((report) => (report.kind === 'warning' ? [report.diagnostic] : [])),
      ]
      expect(reported.filter((each) => each.file === file)).not.toEqual([])
      const status = (id: string) => rows.find((row) => row.id === id && row.scope === scope)?.status
      // Consent is unknown then, or the disabled ids; everything else is known.
      if (name === 'consent store' && scope === 'project') expect(status('one')).toBe('inactive')
      else expect(['active', 'orphan']).toContain(status('one'))
      if (name !== 'state file' && name !== 'consent store') expect(status('two')).toBe('disabled')
      const { findings } = await doctorIn(reader)
      const found = findings.filter((each) => each.file === file)
      expect(found).not.toEqual([])
      for (const each of found) expect(each.message).toMatch(kind.says)
      expect(differences(before, tree())).toEqual([])
    })
  })

  test.each(NAMES.flatMap((first, at) => NAMES.slice(at + 1).map((second) => [first, second] as const)))(
    'a %s and a %s, both damaged, are reported and left unchanged, and so is everything else',
    async (first, second) => {
      const [one, other] = [DAMAGES['truncated'], DAMAGES['conflicting']]
      if (one === undefined || other === undefined) throw new Error('no such damage')
      await prepare(scope)
      const files = [damage(scope, first, one), damage(scope, second, other)]
      const before = tree()
      for (const change of [...Object.values(CHANGES), fixIn]) {
        const each = context()
        const error = await change(each, scope).then(
          () => null,
          (reason: unknown) => reason,
        )
        if (change !== fixIn) {
          if (error === null && IDLE.some((verb) => CHANGES[verb] === change)) continue
          expect(error).toBeInstanceOf(GsdError)
          expect((error as GsdError).exitStatus).toBe(4)
          expect(files.some((file) => (error as GsdError).message.includes(file))).toBe(true)
        }
        expect(differences(before, tree())).toEqual([])
      }
      const { findings } = await doctorIn(context())
      for (const file of files) expect(findings.filter((each) => each.file === file)).not.toEqual([])
    },
  )

  test.each(Object.entries(DAMAGES).filter(([name]) => name !== 'a folder'))(
    'a receipt that is %s blocks nothing, is reported, and is written again by sync',
    async (_, kind) => {
      await installIn(context(), scratch.bundle('one'), { scope, runtimes: ['claude'] })
      const file = join(placesOf(scope).receipts, 'one.json')
      const right = readFileSync(file, 'utf8')
      kind.make(file, right)
      expect(verify(context(), { ids: ['one'], scope }).capabilities[0]?.ok).toBe(true)
      const { findings } = await doctorIn(context())
      expect(findings.filter(({ id }) => id === 'one')).toMatchObject([{ remedy: 'sync' }])
      expect(findings.find(({ id }) => id === 'one')?.message).toMatch(kind.says)
      await syncIn(context(), { scope })
      expect(readFileSync(file, 'utf8')).toBe(right)
      kind.make(file, right)
      await removeIn(context(), 'one', { scope })
      expect(() => readFileSync(file)).toThrow(/ENOENT/)
    },
  )
})

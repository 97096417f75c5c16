import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import type { Diagnostic } from '../../src/diagnostic.ts'
import { readGrants } from '../../src/state/grants.ts'
import { readHostRecords } from '../../src/state/host-records.ts'
import type { Json } from '../../src/state/json-text.ts'
import { jsonText } from '../../src/state/json-text.ts'
import { readLedger } from '../../src/state/ledger.ts'
import { readReceipt } from '../../src/state/receipts.ts'
import type { StateFile } from '../../src/state/state-file.ts'
import { readSwitches } from '../../src/state/switches.ts'
import { readJournal } from '../../src/transaction/journal.ts'
import { asNobody } from '../helpers/as-nobody.ts'
import { fc } from '../helpers/property.ts'
import { makeTestContext } from '../helpers/test-context.ts'

let root = ''
let context: Context
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-files-')))
  context = makeTestContext(root).context
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const DIGEST = `sha512-${'A'.repeat(86)}==`
const HASH = 'ab'.repeat(64)

interface StateFileCase {
  readonly file: (context: Context) => string
  readonly read: (context: Context) => StateFile<unknown>
  readonly good: { readonly [key: string]: Json }
  /** Changes that each make the file unusable: a path into `good`, and the value to put there. */
  readonly bad: readonly (readonly [path: readonly (string | number)[], value: Json | undefined])[]
}

const hook = { event: 'PreToolUse', matcher: 'Bash', command: "'/x/run.sh'", script: '/x/run.sh', timeout: 5 }
const record = {
  surface: 'settings-json',
  runtime: 'claude',
  madeFile: true,
  madeFolders: ['/home/me/.claude'],
  containers: [{ pointer: '/hooks', made: true, gap: ' ' }],
  entries: { demo: [hook] },
}

const STATE_FILE_CASES: Readonly<Record<string, StateFileCase>> = {
  ledger: {
    file: ({ global }) => global.ledger,
    read: ({ disk, global }) => readLedger(disk, global),
    good: {
      schema: 1,
      capabilities: {
        demo: {
          version: '1.0.0',
          spec: 'https://host.test/x.git#v1.0.0',
          resolved: { kind: 'git', url: 'https://host.test/x.git', commit: 'ab'.repeat(20), path: 'sub/dir' },
          integrity: null,
          digest: DIGEST,
          requires: ['other'],
          auto: true,
          surfaces: DIGEST,
          runtimes: ['claude'],
        },
      },
      unknown: [1, { kept: true }],
    },
    bad: [
      [['capabilities'], []],
      [['capabilities', '../evil'], {}],
      [['capabilities', '__proto__'], {}],
      [['capabilities', 'Demo'], {}],
      [['capabilities', 'con'], {}],
      [['capabilities', 'demo'], null],
      [['capabilities', 'demo', 'version'], 1],
      [['capabilities', 'demo', 'spec'], ''],
      [['capabilities', 'demo', 'spec'], 'x\u001b[31m'],
      [['capabilities', 'demo', 'digest'], 'sha512-short'],
      [['capabilities', 'demo', 'digest'], undefined],
      [['capabilities', 'demo', 'integrity'], 'sha1-AAAA'],
      [['capabilities', 'demo', 'requires'], 'other'],
      [['capabilities', 'demo', 'requires', 0], '../other'],
      [['capabilities', 'demo', 'auto'], false],
      [['capabilities', 'demo', 'runtimes', 0], 'a/b'],
      [['capabilities', 'demo', 'resolved', 'kind'], 'ftp'],
      [['capabilities', 'demo', 'resolved', 'kind'], 'constructor'],
      [['capabilities', 'demo', 'resolved', 'path'], '../../etc'],
      [['capabilities', 'demo', 'resolved', 'path'], '/etc'],
    ],
  },
  receipt: {
    file: ({ global }) => join(global.receipts, 'demo.json'),
    read: ({ disk, global }) => readReceipt(disk, global, 'demo'),
    good: { schema: 1, id: 'demo', digest: DIGEST, files: { 'a/b.md': { sha512: HASH, executable: false } } },
    bad: [
      [['id'], '../demo'],
      [['digest'], null],
      [['files', '../x'], { sha512: HASH, executable: false }],
      [['files', '/x'], { sha512: HASH, executable: false }],
      [['files', 'a\\b'], { sha512: HASH, executable: false }],
      [['files', 'a/b.md', 'sha512'], 'AB'],
      [['files', 'a/b.md', 'executable'], 'yes'],
    ],
  },
  hosts: {
    file: ({ global }) => global.hosts,
    read: ({ disk, global }) => readHostRecords(disk, global),
    good: { schema: 1, files: { '/home/me/.claude/settings.json': record } },
    bad: [
      [['files', 'relative.json'], record],
      [['files', '/a/../b.json'], record],
      [['files', '/home/me/.claude/settings.json', 'surface'], 'toString'],
      [['files', '/home/me/.claude/settings.json', 'runtime'], '..'],
      [['files', '/home/me/.claude/settings.json', 'madeFile'], 1],
      [['files', '/home/me/.claude/settings.json', 'madeFolders', 0], '../..'],
      [['files', '/home/me/.claude/settings.json', 'containers', 0], 'x'],
      [['files', '/home/me/.claude/settings.json', 'entries', '../x'], [hook]],
      [['files', '/home/me/.claude/settings.json', 'entries', 'demo', 0, 'script'], 'run.sh'],
      [['files', '/home/me/.claude/settings.json', 'entries', 'demo', 0, 'timeout'], '5'],
    ],
  },
  state: {
    file: ({ global }) => global.state,
    read: ({ disk, global }) => readSwitches(disk, global),
    good: { schema: 1, capabilities: { demo: 'disabled', other: 'enabled' } },
    bad: [
      [['capabilities'], ['demo']],
      [['capabilities', 'demo'], true],
      [['capabilities', 'demo'], 'toString'],
      [['capabilities', '..'], 'disabled'],
    ],
  },
  consent: {
    file: ({ user }) => user.grants,
    read: ({ disk, user }) => readGrants(disk, user),
    good: {
      schema: 1,
      grants: {
        'demo@/work/x': {
          scope: 'project',
          project: '/work/x',
          id: 'demo',
          version: '1.0.0',
          digest: DIGEST,
          surfaces: DIGEST,
          files: { 'a/b.md': '-00' },
          granted: '2030-01-01T00:00:00.000Z',
        },
      },
    },
    bad: [
      [['grants'], 7],
      [['grants', 'demo@/work/x', 'scope'], 'everywhere'],
      [['grants', 'demo@/work/x', 'scope'], 'global'],
      [['grants', 'demo@/work/x', 'project'], '/work/y'],
      [['grants', 'demo@/work/x', 'project'], 'work/x'],
      [['grants', 'demo@/work/x', 'id'], 'other'],
      [['grants', 'demo@/work/x', 'digest'], 'sha256-x'],
      [['grants', 'demo@/work/x', 'files', '../x'], '-00'],
      [['grants', 'demo@/work/x', 'granted'], 0],
    ],
  },
  journal: {
    file: ({ global }) => global.journal,
    read: ({ disk, global }) => readJournal(disk, global),
    good: {
      schema: 1,
      operation: 'abc12-00ff00ff',
      command: 'install demo',
      scope: 'global',
      root: '/home/me',
      made: ['/home/me/.gsd'],
      modes: [{ file: '/home/me/x', mode: 0o600 }],
      formatting: [{ store: 'state', hashAfter: HASH, patch: { offset: 0, remove: '', insert: ' ' } }],
      changes: [
        { kind: 'record', store: 'ledger', key: ['capabilities', 'demo'], before: null, after: { any: 'thing' } },
        { kind: 'swap', target: 'capabilities/demo', from: 'capabilities/demo', replaces: false },
        { kind: 'swap', target: 'receipts/demo.json', from: null, replaces: true },
        {
          kind: 'host',
          edit: {
            file: '/home/me/.claude/settings.json',
            surface: 'settings-json',
            id: 'demo',
            add: [hook],
            remove: [],
            hashBefore: null,
            hashAfter: HASH,
            mode: 0o755,
            patches: [{ offset: 0, remove: '', insert: '{}' }],
            recordBefore: null,
            recordAfter: record,
          },
        },
        { kind: 'record', store: 'hosts', key: ['files', '/home/a\nb\t/settings.json'], before: null, after: null },
      ],
    },
    bad: [
      [['operation'], '../../x'],
      [['operation'], 'abc'],
      [['scope'], 'both'],
      [['root'], '.'],
      [['made', 0], '.gsd'],
      [['changes'], {}],
      [['changes', 0, 'kind'], 'toString'],
      [['changes', 0, 'store'], '/etc/passwd'],
      [['changes', 0, 'key'], ['capabilities']],
      [['changes', 0, 'key', 0], '__proto__'],
      [['changes', 0, 'before'], undefined],
      [['changes', 1, 'target'], 'capabilities'],
      [['changes', 1, 'target'], 'capabilities/../../x'],
      [['changes', 1, 'target'], 'ledger.json'],
      [['changes', 1, 'target'], '/etc'],
      [['changes', 1, 'from'], '../demo'],
      [['changes', 1, 'from'], '/etc'],
      [['changes', 1, 'replaces'], null],
      [['changes', 3, 'edit', 'file'], 'settings.json'],
      [['changes', 3, 'edit', 'hashBefore'], 'x'],
      [['changes', 3, 'edit', 'patches', 0, 'offset'], '0'],
      [['changes', 3, 'edit', 'recordAfter'], {}],
    ],
  },
}

const put = (kept: StateFileCase, content: string | Buffer): string => {
  const file = kept.file(context)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

/** The message for an unusable file, after a check that it was left unchanged. */
const diagnosticFor = (kept: StateFileCase, content: string | Buffer): Diagnostic => {
  const file = put(kept, content)
  const found = kept.read(context)
  expect(readFileSync(file).equals(Buffer.from(content))).toBe(true)
  if (found.state !== 'unreadable') throw new Error(`it was read as ${found.state}`)
  expect(found.diagnostic).toMatchObject({ severity: 'error', file })
  expect(found.diagnostic.hint).toBeTruthy()
  return found.diagnostic
}

/** A copy with another value at a path; undefined removes the member. */
const changed = (value: Json, [key, ...rest]: readonly (string | number)[], to: Json | undefined): Json => {
  if (key === undefined) return to ?? null
  const entries = Object.entries(value as object) as [string, Json][]
  const old = entries.find(([name]) => name === String(key))?.[1] ?? null
  const next = rest.length === 0 ? to : changed(old, rest, to)
  const others = entries.filter(([name]) => name !== String(key))
  const all = next === undefined ? others : [...others, [String(key), next] as [string, Json]]
  return Array.isArray(value) ? all.map(([, item]) => item) : Object.fromEntries(all)
}

describe.each(Object.entries(STATE_FILE_CASES))('the %s', (_name, kept) => {
  test('that does not exist is absent, without an error', () => {
    expect(kept.read(context)).toEqual({ state: 'absent' })
  })

  test('is read as written, with its unknown members', () => {
    put(kept, jsonText(kept.good))
    const found = kept.read(context)
    expect(found).toMatchObject({ state: 'ok', json: kept.good, text: jsonText(kept.good) })
  })

  test('may have been edited by hand: other spacing, a byte order mark', () => {
    const text = `\uFEFF${JSON.stringify(kept.good, null, '\t').replaceAll('\n', '\r\n')}`
    put(kept, text)
    expect(kept.read(context)).toMatchObject({ state: 'ok', json: kept.good, text })
  })

  test('that ends early is unreadable, wherever it ends', () => {
    const text = jsonText(kept.good)
    for (let end = 0; end < text.length - 2; end += 1) {
      const fault = diagnosticFor(kept, text.slice(0, end))
      expect(fault.code).toBe('STATE_UNREADABLE')
      expect(fault.line === undefined).toBe(text.slice(0, end).trim() === '')
    }
  })

  test('that is empty, binary, no object, or nested without end is unreadable', () => {
    const deep = `{"schema":1,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const contents = ['', ' \n', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), '\0', '[]', 'null', '"x"', 'true', deep]
    for (const content of contents) expect(diagnosticFor(kept, content).code).toBe('STATE_UNREADABLE')
  })

  test('that repeats a key is unreadable, at the second one', () => {
    const text = jsonText(kept.good).replace(/\n {2}"schema": 1/, '\n  "schema": 1,\n  "schema": 1')
    const fault = diagnosticFor(kept, text)
    expect(fault.message).toContain('"schema" is repeated')
    expect(fault.line).toBe(text.slice(0, text.lastIndexOf('"schema"')).split('\n').length)
  })

  test('that contains `":` in a string is not mistaken for one that repeats a key', () => {
    put(kept, jsonText({ ...kept.good, note: 'a ": b' }))
    expect(kept.read(context).state).toBe('ok')
  })

  test('with merge conflict markers is unreadable, at the line of the first marker', () => {
    const lines = jsonText(kept.good).split('\n')
    const text = [
      lines[0],
      '<<<<<<< ours',
      ...lines.slice(1, 3),
      '=======',
      lines[1],
      '>>>>>>> theirs',
      ...lines.slice(3),
    ]
    const fault = diagnosticFor(kept, text.join('\n'))
    expect(fault).toMatchObject({ code: 'STATE_UNREADABLE', line: 2, column: 1 })
    expect(fault.message).toContain('merge')
  })

  test('of a newer version is left unchanged and reported', () => {
    const fault = diagnosticFor(kept, jsonText({ ...kept.good, schema: 2 }))
    expect(fault).toMatchObject({ code: 'STATE_NEWER_SCHEMA', column: 3 })
  })

  test('with an invalid schema version is unreadable', () => {
    for (const schema of [0, -1, 1.5, '1', null, true]) {
      expect(diagnosticFor(kept, jsonText({ ...kept.good, schema })).code).toBe('STATE_UNREADABLE')
    }
  })

  test('with a root member that would set a prototype is unreadable', () => {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const text = jsonText(kept.good).replace('{', `{ ${JSON.stringify(key)}: {},`)
      expect(diagnosticFor(kept, text).code).toBe('STATE_UNREADABLE')
    }
  })

  test('that is huge is unreadable, and read only up to the limit', () => {
    const file = put(kept, '')
    truncateSync(file, 3 * 1024 ** 3)
    expect(kept.read(context)).toMatchObject({ state: 'unreadable', diagnostic: { code: 'STATE_UNREADABLE', file } })
  })

  test('that is a pipe, a folder or a device is unreadable and hangs nothing', () => {
    const file = put(kept, '')
    rmSync(file)
    spawnSync('mkfifo', [file])
    expect(kept.read(context)).toMatchObject({ state: 'unreadable', diagnostic: { code: 'STATE_NOT_A_FILE' } })
    rmSync(file)
    mkdirSync(file)
    expect(kept.read(context)).toMatchObject({ state: 'unreadable', diagnostic: { code: 'STATE_NOT_A_FILE' } })
    rmSync(file, { recursive: true })
    symlinkSync('/dev/zero', file)
    expect(kept.read(context)).toMatchObject({ state: 'unreadable' })
  })

  test('that is a dangling link is unreadable, not absent', () => {
    const file = put(kept, '')
    rmSync(file)
    symlinkSync('nowhere', file)
    expect(kept.read(context)).toMatchObject({ state: 'unreadable', diagnostic: { file } })
  })

  test('without read permission is unreadable, not absent', () => {
    const file = put(kept, jsonText(kept.good))
    chmodSync(root, 0o755)
    chmodSync(file, 0o200)
    asNobody(() => {
      const found = kept.read(context)
      expect(found).toMatchObject({ state: 'unreadable', diagnostic: { code: 'STATE_UNREADABLE', file } })
    })
  })

  test.each(kept.bad.map(([path, value]) => ({ at: path.join('.'), value: JSON.stringify(value), path, to: value })))(
    'with $at = $value is unreadable, and the error names the position',
    ({ path, to }) => {
      const text = jsonText(changed(kept.good, path, to))
      const fault = diagnosticFor(kept, text)
      expect(fault.code).toBe('STATE_UNREADABLE')
      expect(fault.line).toBeGreaterThan(1)
    },
  )

  test('never makes its reader throw, whatever JSON it contains', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...Object.keys(kept.good)), (value, key) => {
        put(kept, JSON.stringify({ ...kept.good, [key]: value }))
        expect(['ok', 'unreadable']).toContain(kept.read(context).state)
      }),
      { numRuns: 60 },
    )
  })
})

test('a journal of an older version, with `spellings` in place of `formatting`, is read', () => {
  const { formatting, ...rest } = STATE_FILE_CASES.journal?.good ?? {}
  const file = context.global.journal
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, jsonText({ ...rest, spellings: formatting ?? null }))
  expect(readJournal(context.disk, context.global)).toMatchObject({ state: 'ok', value: { formatting } })
})

describe('in a project, whose files may come from a repository', () => {
  test('neither ledger, state nor receipt may be a link', () => {
    const project = context.project ?? context.global
    mkdirSync(project.receipts, { recursive: true })
    const outside = join(root, 'elsewhere.json')
    writeFileSync(outside, '{"schema":1}')
    for (const file of [project.ledger, project.state, join(project.receipts, 'demo.json')]) symlinkSync(outside, file)
    const found = [
      readLedger(context.disk, project),
      readSwitches(context.disk, project),
      readReceipt(context.disk, project, 'demo'),
    ]
    for (const each of found) expect(each).toMatchObject({ state: 'unreadable', diagnostic: { code: 'STATE_LINKED' } })
  })

  test('hosts, journal and consent are read from the home only', () => {
    const project = context.project ?? context.global
    const forged = [project.hosts, project.journal, project.lock, context.user.grants]
    for (const file of forged) expect(file.startsWith(join(root, 'home/'))).toBe(true)
  })
})

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyHostEdit, undoHostEdit } from '../../../src/host/edit/apply-edit.ts'
import { hookOf, planAndApply, type HostState } from '../../helpers/host-edits.ts'
import { codeOf, thrownBy } from '../../helpers/thrown.ts'

const CURSOR = { id: 'guard', surface: 'cursor-hooks-json', runtime: 'cursor' } as const
const COPILOT = { id: 'guard', surface: 'copilot-inline', runtime: 'copilot' } as const
const CLINE = { id: 'guard', surface: 'cline-rules', runtime: 'cline' } as const
const CODEX = { id: 'guard', surface: 'codex-hooks-json', runtime: 'codex' } as const
const hook = hookOf('guard', 'stop')
const fresh = (text: string | null): HostState => ({ text, record: null })

describe('Cursor', () => {
  it('gets "version": 1 if the file has no hooks yet, and loses it on removal', () => {
    const installed = planAndApply(fresh('{\n  "hooks": {}\n}\n'), { ...CURSOR, add: [hook] })
    expect(JSON.parse(installed.text ?? '')).toEqual({ version: 1, hooks: { stop: [{ command: hook.command }] } })
    expect(planAndApply(installed, { ...CURSOR, remove: [hook] }).text).toBe('{\n  "hooks": {}\n}\n')
  })

  it('keeps the version that we added while the user has hooks of their own', () => {
    const installed = planAndApply(fresh('{}'), { ...CURSOR, add: [hook] })
    const mine = {
      ...installed,
      text: (installed.text ?? '').replace('"stop": [', '"other": [{"command": "mine"}], "stop": ['),
    }
    expect(JSON.parse(planAndApply(mine, { ...CURSOR, remove: [hook] }).text ?? '')).toEqual({
      version: 1,
      hooks: { other: [{ command: 'mine' }] },
    })
  })

  it.each([
    ['{"version": 2, "hooks": {}}', 13],
    ['{"version": "1"}', 13],
    ['{"version": 1, "version": 1}', 16],
    ['{"hooks": {"stop": [{"command": "mine"}]}}', 1],
  ])('is refused for a file whose version it does not read, or whose hooks would start to run: %s', (text, column) => {
    const error = thrownBy(() => planAndApply(fresh(text), { ...CURSOR, add: [hook] }))
    expect(error.code).toBe('HOST_SETTINGS_SHAPE')
    expect(error.details).toMatchObject({ line: 1, column })
  })
})

describe('a file of our own', () => {
  it('is created and deleted completely', () => {
    const installed = planAndApply(fresh(null), { ...COPILOT, add: [hook] })
    expect(installed.record).toMatchObject({ madeFile: true })
    const removed = planAndApply(installed, { ...COPILOT, remove: [hook] })
    expect(removed.text).toBeNull()
    expect(removed.edit.hashAfter).toBeNull()
    expect(undoHostEdit(null, removed.edit)).toBe(installed.text)
  })

  it('never overwrites a file of the user, and keeps what the user wrote into it', () => {
    for (const options of [COPILOT, CLINE]) {
      const error = thrownBy(() => planAndApply(fresh('{}'), { ...options, add: [hook] }))
      expect(error.code).toBe('HOST_SETTINGS_FILE')
      expect(error.hint).toContain('move')
    }
    const installed = planAndApply(fresh(null), { ...COPILOT, add: [hook] })
    const mine = { ...installed, text: (installed.text ?? '').replace('"stop": [', '"stop": [{"command": "mine"},') }
    expect(JSON.parse(planAndApply(mine, { ...COPILOT, remove: [hook] }).text ?? '')).toEqual({
      version: 1,
      hooks: { stop: [{ command: 'mine' }] },
    })
  })
})

describe('Cline', () => {
  it('gets an executable that passes everything on to our script', () => {
    const dir = mkdtempSync(join(tmpdir(), "gsd cline's "))
    try {
      const script = join(dir, 'run.sh')
      writeFileSync(script, '#!/bin/sh\necho "$1"; cat; exit 7\n')
      chmodSync(script, 0o755)
      const installed = planAndApply(fresh(null), {
        ...CLINE,
        add: [hookOf('guard', 'PreToolUse', { command: `'${script.replaceAll("'", String.raw`'\''`)}'`, script })],
      })
      expect(installed.edit.mode).toBe(0o777)
      writeFileSync(join(dir, 'PreToolUse'), installed.text ?? '')
      chmodSync(join(dir, 'PreToolUse'), 0o755)
      const call = (): string =>
        execFileSync(join(dir, 'PreToolUse'), ['one'], { input: '{"a":1}', cwd: '/', encoding: 'utf8', stdio: 'pipe' })
      expect(call).toThrow(expect.objectContaining({ status: 7, stdout: 'one\n{"a":1}' }))
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })

  it('is refused for two hooks of one event', () => {
    const two = [hookOf('guard', 'PreToolUse'), hookOf('guard', 'PreToolUse', { command: "'/other'" })]
    expect(codeOf(() => planAndApply(fresh(null), { ...CLINE, add: two }))).toBe('HOST_UNSUPPORTED')
  })

  it('keeps an edited file, on removal and update with a report, in recovery silently', () => {
    const installed = planAndApply(fresh(null), { ...CLINE, add: [hook] })
    const mine = { ...installed, text: `${installed.text}echo mine\n` }
    const removed = planAndApply(mine, { ...CLINE, remove: [hook] })
    expect(removed.text).toBe(mine.text)
    expect(removed.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
    const next = planAndApply(mine, { ...CLINE, add: [{ ...hook, command: "'/new'" }], remove: [hook] })
    expect(next.text).toBe(mine.text)
    expect(next.warnings.map(({ code }) => code)).toEqual(['HOST_ENTRY_EDITED'])
    expect(undoHostEdit(mine.text, installed.edit)).toBe(mine.text)
    expect(applyHostEdit(mine.text, installed.edit)).toBe(mine.text)
  })
})

describe('Codex', () => {
  it('is appended to, never prepended, and warns of a new prompt after a removal', () => {
    const text = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}'
    const installed = planAndApply(fresh(text), { ...CODEX, add: [hookOf('guard', 'Stop')] })
    expect((installed.text ?? '').indexOf('mine')).toBeLessThan((installed.text ?? '').indexOf('guard'))
    const removed = planAndApply(installed, { ...CODEX, remove: [hookOf('guard', 'Stop')] })
    expect(removed.warnings.map(({ code, severity }) => [code, severity])).toEqual([['HOST_ASKS_AGAIN', 'info']])
    expect(planAndApply(removed, { ...CODEX, remove: [hookOf('guard', 'Stop')] }).warnings).toEqual([])
    const alone = planAndApply(fresh(null), { ...CODEX, add: [hookOf('guard', 'Stop')] })
    expect(planAndApply(alone, { ...CODEX, remove: [hookOf('guard', 'Stop')] })).toMatchObject({
      text: null,
      warnings: [],
    })
  })
})

describe('a host without a surface', () => {
  it('is never written to', () => {
    const installed = planAndApply(fresh('{}'), { id: 'guard', surface: 'none', runtime: 'pi', add: [hook] })
    expect(installed.text).toBe('{}')
    expect(installed.edit.patches).toEqual([])
  })
})

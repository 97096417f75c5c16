import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import {
  hasEnded,
  inspectProcess,
  livenessOf,
  parseIdentity,
  parseProcStat,
  parsePs,
  pidScopeOf,
  processIdentity,
} from '../../src/platform/identity.ts'

describe('a process', () => {
  test('has an identity with every part, and the same each time', () => {
    const self = processIdentity()
    expect(self).toMatchObject({ pid: process.pid, host: hostname() })
    const { machine: _machine, ...parts } = self
    expect(Object.values(parts).every((part) => String(part) !== '')).toBe(true)
    expect({ ...processIdentity() }).toEqual({ ...self })
    expect(parseIdentity(JSON.parse(JSON.stringify(self)))).toEqual({ ...self })
  })

  test('that runs is alive, and dead as soon as it was killed, reaped or not', async () => {
    const child = spawn('sleep', ['60'])
    await once(child, 'spawn')
    const seen = inspectProcess(child.pid ?? 0)
    expect(seen.state).toBe('running')
    const self = processIdentity()
    const other = { ...self, pid: child.pid ?? 0, start: seen.state === 'running' ? seen.start : '' }
    expect(livenessOf(other, self)).toBe('alive')
    expect(livenessOf({ ...other, start: 'another' }, self)).toBe('dead')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(livenessOf(other, self)).toBe('dead')
    expect(hasEnded(other.pid, pidScopeOf(self), self)).toBe(true)
  })

  test('of another machine, boot or pid namespace is unknown, whatever its pid', () => {
    const self = { ...processIdentity(), machine: '' }
    for (const part of [{ host: 'other' }, { boot: 'other' }, { namespace: 'other' }]) {
      expect(livenessOf({ ...self, ...part }, self)).toBe('unknown')
      expect(hasEnded(0x7fff_fff0, pidScopeOf({ ...self, ...part }), self)).toBe(false)
    }
  })
})

describe('a machine after a restart', () => {
  const self = { ...processIdentity(), machine: 'its own' }
  const before = { ...self, boot: 'an earlier one', pid: process.pid }

  test('has no process from before, though another process may have the pid now', () => {
    expect(livenessOf(before, self)).toBe('dead')
    expect(hasEnded(before.pid, pidScopeOf(before), self)).toBe(true)
  })

  test('is distinguished from another one, also of the same name, and from one without an id', () => {
    for (const part of [{ machine: 'another' }, { machine: '' }, { host: 'other' }, { boot: '' }]) {
      expect(livenessOf({ ...before, ...part }, self)).toBe('unknown')
      expect(hasEnded(before.pid, pidScopeOf({ ...before, ...part }), self)).toBe(false)
    }
  })
})

describe("the system's record of a process", () => {
  const stat = (name: string, state = 'S') =>
    `42 (${name}) ${state} 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 278352 1 1 18446744073709551615\n`

  test('has the start time in field 22 of its stat file, whatever its name contains', () => {
    for (const name of ['node', 'a b', 'x) S 1 (y', ') Z (', '']) {
      expect(parseProcStat(stat(name))).toEqual({ state: 'running', start: '278352' })
    }
  })

  test('shows a process that was not reaped as ended', () => {
    expect(parseProcStat(stat('node', 'Z'))).toEqual({ state: 'ended' })
    expect(parsePs('Z+   Mon Jan  1 09:00:00 2030')).toEqual({ state: 'ended' })
  })

  test('from ps has the start time as text', () => {
    expect(parsePs('Ss   Mon Jan  1 09:00:00 2030\n')).toEqual({ state: 'running', start: 'Mon Jan 1 09:00:00 2030' })
  })

  test('without those fields is unseen', () => {
    for (const text of ['', '\n', 'S']) expect(parsePs(text)).toEqual({ state: 'unseen' })
    expect(parseProcStat('42 (node) S 1')).toEqual({ state: 'unseen' })
  })
})

test.each([{ pid: 0 }, { pid: 1.5 }, { pid: 2 ** 40 }, { pid: '1' }, { start: 1 }, { boot: null }, { host: {} }])(
  'an identity with %j is invalid',
  (part) => {
    expect(parseIdentity({ ...processIdentity(), ...part })).toBeNull()
  },
)

test.each([null, 1, [], {}, 'x'])('%j is not an identity', (value) => {
  expect(parseIdentity(value)).toBeNull()
})

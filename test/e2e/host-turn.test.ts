import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Machine, makeMachine } from '../helpers/gsd.ts'

const ROOT = join(import.meta.dirname, '../..')

let machine: Machine
beforeEach(() => {
  machine = makeMachine()
})
afterEach(() => machine.remove())

/** Runs the example host against the built package, as a dependent has it. */
const turn = (
  ...args: readonly string[]
): Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }> => {
  const host = join(machine.root, 'host')
  mkdirSync(join(host, 'node_modules'), { recursive: true })
  symlinkSync(ROOT, join(host, 'node_modules/gsd-capability'))
  copyFileSync(join(ROOT, 'fixtures/host/run-turn.mjs'), join(host, 'run-turn.mjs'))
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(host, 'run-turn.mjs'), '--project', machine.project, ...args], {
      env: { ...machine.env },
      cwd: machine.project,
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.once('close', (status) => resolve({ status, stdout, stderr }))
  })
}

describe('the example host', () => {
  it('halts where a gate of the first-party set blocks', async () => {
    const { status, stdout, stderr } = await turn()
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
    expect(stdout).toContain('  dispatch agent gsd-phase-researcher of research; it makes RESEARCH.md')
    expect(stdout).toMatch(/ {2}inject \d+ characters of security into planner/)
    expect(stdout).toContain('  gate of gap-analysis: pass: no gap was found')
    expect(stdout).toContain('halt at ship:pre')
  })

  it('comes to the end of its turn where the gates pass', async () => {
    machine.put('project/.planning/phases/01-x/01-SECURITY.md', '---\nthreats_open: 0\n---\n')
    const { status, stdout } = await turn('--phase-dir', '.planning/phases/01-x', '--phase-number', '01')
    expect(stdout).toContain('the turn is complete')
    expect(status).toBe(0)
  })
})

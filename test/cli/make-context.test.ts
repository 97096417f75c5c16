import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ContextOptions, makeContext } from '../../src/cli/make-context.ts'
import type { Report } from '../../src/context.ts'
import { codeOf } from '../helpers/thrown.ts'

let root: string
let reports: Report[]

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'gsd-context-')))
  reports = []
  for (const folder of ['home', 'project/.git', 'project/deep/er', 'plain', 'first'])
    mkdirSync(join(root, folder), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const contextIn = (cwd: string, rest: Partial<ContextOptions> = {}) =>
  makeContext({
    cwd: join(root, cwd),
    env: { HOME: join(root, 'home') },
    signal: new AbortController().signal,
    report: (report) => reports.push(report),
    ...rest,
  })

describe('the context', () => {
  it('finds the project from a subfolder, and none outside of one', () => {
    expect(contextIn('project/deep/er').project?.root).toBe(join(root, 'project'))
    expect(contextIn('plain').project).toBe(null)
  })

  it('uses the named project, from any working directory', () => {
    expect(contextIn('plain', { project: '../project' }).project?.root).toBe(join(root, 'project'))
    expect(codeOf(() => contextIn('plain', { project: 'none' }))).toBe('USAGE_BAD_VALUE')
  })

  it('ends downloads after ten minutes, or after --timeout', () => {
    expect(contextIn('plain').fetchTimeout).toBe(600_000)
    expect(contextIn('plain', { timeout: '30' }).fetchTimeout).toBe(30_000)
    expect(contextIn('plain', { timeout: '0.5' }).fetchTimeout).toBe(500)
    for (const timeout of ['0', '-1', '1e9', 'soon', '86401', '1 m', 'Infinity', '0x10', ''])
      expect(
        codeOf(() => contextIn('plain', { timeout })),
        timeout,
      ).toBe('USAGE_BAD_VALUE')
  })

  it('uses GSD_HOME for the global scope', () => {
    const env = { HOME: join(root, 'home'), GSD_HOME: join(root, 'plain') }
    expect(contextIn('project', { env }).global.root).toBe(join(root, 'plain'))
    expect(contextIn('project').global.root).toBe(join(root, 'home'))
  })

  it('accepts a first-party set that is a folder, and nothing else', () => {
    expect(contextIn('plain').firstParty).toBe(null)
    expect(contextIn('plain', { firstParty: '../first' }).firstParty).toBe(join(root, 'first'))
    expect(codeOf(() => contextIn('plain', { firstParty: 'none' }))).toBe('USAGE_BAD_VALUE')
  })

  it('takes the host version from the flag, then the environment, then the project', () => {
    mkdirSync(join(root, 'project/gsd-core'))
    writeFileSync(join(root, 'project/gsd-core/VERSION'), '1.2.3\n')
    const env = { HOME: join(root, 'home'), GSD_VERSION: '4.5.6' }
    expect(contextIn('project').hostVersion.version).toBe('1.2.3')
    expect(contextIn('project', { env }).hostVersion.version).toBe('4.5.6')
    expect(contextIn('project', { env, hostVersion: '7.8.9' }).hostVersion.version).toBe('7.8.9')
  })

  it('reports an invalid version file, and continues', () => {
    mkdirSync(join(root, 'project/gsd-core'))
    writeFileSync(join(root, 'project/gsd-core/VERSION'), 'newest\n')
    expect(contextIn('project').hostVersion.from).toBe('built-in')
    expect(reports).toEqual([{ kind: 'warning', diagnostic: expect.objectContaining({ severity: 'warning' }) }])
  })
})

import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/command-table.ts'
import { type Machine, makeMachine } from '../helpers/gsd.ts'
import { treeOf } from '../helpers/tree.ts'

/** Command → calls in which it has something to change, or to say. */
const CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'capability install': [['../bundles/new', '--runtime', 'claude', '--yes']],
  'capability update': [['one'], ['--all', '--force', '--yes']],
  'capability remove': [['two'], ['two', '--purge-data', '--force']],
  'capability list': [[]],
  'capability info': [['one'], ['../bundles/new']],
  'capability diff': [['one'], ['../bundles/one', '../bundles/new']],
  'capability outdated': [[]],
  'capability enable': [['off']],
  'capability disable': [['two']],
  'capability state': [[]],
  'capability set': [['switch', '--gate', 'switch.gate=false']],
  'capability trust': [['list'], ['revoke', 'two'], ['grant', 'gone', '--scope', 'project', '--yes']],
  'capability verify': [[]],
  'capability doctor': [[], ['--fix'], ['--fix', '--adopt']],
  'capability sync': [[], ['--force', '--yes']],
  'capability validate': [['../bundles/new']],
  'capability pack': [['../bundles/new'], ['../bundles/new', '--write-integrity', '--out', './new.tgz']],
  'capability init': [['fresh'], ['fresh', '--dir', './folder']],
  'capability cache': [['path'], ['clean']],
  'loop points': [[]],
  'loop render': [['plan:pre']],
  'loop gate': [['plan:pre']],
  'loop check': [['predicate', '{"kind":"file-exists","path":"x"}']],
  'config get': [['switch.gate']],
  'config set': [['switch.gate', 'false']],
  'config unset': [['switch.gate']],
  'config list': [[]],
  'config schema': [[]],
  'runtime list': [[]],
  'runtime where': [['claude']],
  'check predicate': [['{"kind":"file-exists","path":"x"}']],
  'skills index': [['--skills-root', '../skills']],
  'skills check': [['--skills-root', '../skills']],
  'skills search': [['note', '--skills-root', '../skills']],
  'skills show': [['note', '--skills-root', '../skills']],
  'skills resolve': [['--message', 'use $note', '--skills-root', '../skills']],
  'skills lock': [['--skills-root', '../skills']],
  'skills stack': [['compose', 'note', '--skills-root', '../skills']],
  'review lanes': [[]],
  'review plan': [[]],
  'review run': [[], ['--codex', '--out', './reviews.md']],
  'mcp serve': [[]],
  'mcp install': [['--runtime', 'claude']],
}

let machine: Machine
beforeAll(async () => {
  machine = makeMachine('gsd-dry')
  for (const id of ['one', 'two', 'off', 'new']) machine.bundle(id)
  machine.bundle('gone')
  machine.bundle('switch', {
    config: { 'switch.gate': { type: 'boolean', default: true, description: 'x' } },
  })
  const sources = ['one', 'two', 'off', 'switch'].map((id) => join(machine.root, 'bundles', id))
  const install = async (...args: readonly string[]): Promise<void> => {
    const { status, stderr } = await machine.gsd(['capability', 'install', ...args, '--runtime', 'claude', '--yes'])
    expect(stderr.includes('error ') ? stderr : status).toBe(0)
  }
  await install(...sources)
  await install(join(machine.root, 'bundles/gone'), '--scope', 'project')
  await machine.gsd(['capability', 'disable', 'off'])
  // A newer version, an edit, an orphan, a lost bundle.
  machine.bundle('two', { version: '2.0.0' })
  appendFileSync(join(machine.home, '.gsd/capabilities/one/hooks/run.sh'), '# mine\n')
  mkdirSync(join(machine.home, '.gsd/capabilities/orphan'), { recursive: true })
  writeFileSync(join(machine.home, '.gsd/capabilities/orphan/capability.json'), '{}')
  rmSync(join(machine.project, '.gsd/capabilities'), { recursive: true })
  machine.put('skills/note/SKILL.md', '---\nname: note\ndescription: A note.\n---\n\n# Note\n')
  mkdirSync(join(machine.root, 'cache/gsd-capability/artifacts'), { recursive: true })
})
afterAll(() => machine.remove())

describe('--dry-run writes nothing outside the cache', () => {
  it('and every command is called here', () => {
    expect(Object.keys(CALLS).toSorted()).toEqual(COMMANDS.map(({ noun, verb }) => `${noun} ${verb}`).toSorted())
  })

  it.each(Object.entries(CALLS).flatMap(([command, calls]) => calls.map((args) => ({ command, args }))))(
    'gsd $command $args',
    async ({ command, args }) => {
      const world = (): string[] => treeOf(machine.root, { without: ['cache'], skeleton: true })
      const before = world()
      const run = await machine.gsd([...command.split(' '), ...args, '--dry-run'])
      expect(run.status).not.toBe(1)
      expect(run.stderr).not.toContain('USAGE_UNKNOWN')
      expect(world()).toEqual(before)
      expect(existsSync(join(machine.root, 'cache/gsd-capability/artifacts'))).toBe(true)
    },
  )
})

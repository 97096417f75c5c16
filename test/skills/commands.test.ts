import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { makeMachine, type Machine } from '../helpers/gsd.ts'
import { treeOf } from '../helpers/tree.ts'
import { entry, skillText } from './skills-root.ts'

let machines: Machine[] = []
const machine = (): Machine => {
  const made = makeMachine()
  machines.push(made)
  return made
}
afterEach(() => {
  for (const it of machines) it.remove()
  machines = []
})

/** A project with the skills a and nested/b. */
const withSkills = (): Machine => {
  const made = machine()
  made.put('project/skills/a/SKILL.md', skillText('a'))
  made.put('project/skills/nested/b/SKILL.md', skillText('b'))
  return made
}
const run = (made: Machine, ...args: readonly string[]) => made.gsd(['skills', ...args], { cwd: made.project })
const read = (made: Machine, path: string): string => readFileSync(join(made.project, path), 'utf8')

describe('skills index', () => {
  it('writes the index and its exact mirror, sorted by id, and the second time nothing', async () => {
    const made = withSkills()
    const first = await run(made, 'index', '--json')
    expect(first.json.data).toMatchObject({ skills: 2, written: ['skills_index.json', 'data/skills_index.json'] })
    const text = read(made, 'skills_index.json')
    expect(read(made, 'data/skills_index.json')).toBe(text)
    expect(JSON.parse(text)).toEqual([
      { ...entry('a'), category: 'uncategorized', risk: 'unknown', source: 'unknown', date_added: null },
      {
        ...entry('b', { path: 'skills/nested/b' }),
        category: 'uncategorized',
        risk: 'unknown',
        source: 'unknown',
        date_added: null,
      },
    ])
    const tree = treeOf(made.project)
    expect((await run(made, 'index', '--json')).json.data).toMatchObject({ written: [] })
    expect(treeOf(made.project)).toEqual(tree)
  })

  it('keeps what the frontmatter lacks from the present index, by path, and other fields', async () => {
    const made = withSkills()
    const kept = { category: 'testing', risk: 'safe', source: 'community', date_added: '2026-02-27' }
    made.put(
      'project/skills_index.json',
      JSON.stringify([entry('old', { path: 'skills/a', ...kept, plugin: { x: 1 } })]),
    )
    await run(made, 'index')
    expect((JSON.parse(read(made, 'skills_index.json')) as unknown[])[0]).toEqual({
      ...entry('a'),
      ...kept,
      plugin: { x: 1 },
    })
  })

  it('takes the folder for a skill without a name, and what the frontmatter says over the index', async () => {
    const made = machine()
    made.put('project/skills/plain/SKILL.md', '---\ndescription: Plain.\nrisk: critical\ntags: [x]\n---\n')
    await run(made, 'index')
    expect(JSON.parse(read(made, 'skills_index.json'))).toMatchObject([
      { id: 'plain', name: 'plain', risk: 'critical', tags: ['x'] },
    ])
  })

  it('writes nothing with --dry-run', async () => {
    const made = withSkills()
    const tree = treeOf(made.project)
    expect((await run(made, 'index', '--dry-run')).stdout).toContain('would write skills_index.json')
    expect(treeOf(made.project)).toEqual(tree)
  })

  it('refuses two skills of one id, an index that is broken, and a SKILL.md that is a link', async () => {
    const made = withSkills()
    made.put('project/skills/c/SKILL.md', skillText('a'))
    expect((await run(made, 'index', '--json')).json.error).toMatchObject({ code: 'MANIFEST_SKILL_DUPLICATE' })
    rmSync(join(made.project, 'skills/c'), { recursive: true })
    made.put('project/skills_index.json', '{')
    expect((await run(made, 'index', '--json')).json.error).toMatchObject({ code: 'MANIFEST_SKILLS_INDEX' })
    expect(read(made, 'skills_index.json')).toBe('{')
    rmSync(join(made.project, 'skills_index.json'))
    made.put('secret', '---\nname: leaked\n---\n')
    mkdirSync(join(made.project, 'skills/d'))
    symlinkSync(join(made.root, 'secret'), join(made.project, 'skills/d/SKILL.md'))
    expect((await run(made, 'index', '--json')).json.error).toMatchObject({ code: 'POLICY_SKILL_CONFINED' })
  })

  it('does not enter folders that are links, and never writes through one', async () => {
    const made = withSkills()
    made.put('outside/evil/SKILL.md', skillText('evil'))
    symlinkSync(join(made.root, 'outside/evil'), join(made.project, 'skills/evil'))
    await run(made, 'index')
    expect(read(made, 'skills_index.json')).not.toContain('evil')
    rmSync(join(made.project, 'data'), { recursive: true })
    symlinkSync(join(made.root, 'outside'), join(made.project, 'data'))
    const tree = treeOf(join(made.root, 'outside'))
    expect((await run(made, 'index', '--json')).json.error).toMatchObject({ code: 'POLICY_SKILL_CONFINED' })
    expect(treeOf(join(made.root, 'outside'))).toEqual(tree)
  })
})

describe('skills check', () => {
  const codesOf = async (made: Machine): Promise<readonly string[]> => {
    const { json } = await run(made, 'check', '--json')
    return (json.data['diagnostics'] as { code: string }[]).map(({ code }) => code)
  }
  const indexed = async (): Promise<Machine> => {
    const made = withSkills()
    await run(made, 'index')
    return made
  }

  it('passes what index wrote', async () => {
    const { status, stdout } = await run(await indexed(), 'check')
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'valid 2 skills\n' })
  })

  it.each<[string, (made: Machine) => void, string, number]>([
    ['a mirror that differs', (made) => void made.put('project/data/skills_index.json', '[]'), 'STATE_SKILLS_DRIFT', 4],
    ['no mirror', (made) => rmSync(join(made.project, 'data'), { recursive: true }), 'STATE_SKILLS_DRIFT', 4],
    [
      'a skill that is not listed',
      (made) => void made.put('project/skills/c/SKILL.md', skillText('c')),
      'STATE_SKILLS_DRIFT',
      4,
    ],
    [
      'a skill that is gone',
      (made) => rmSync(join(made.project, 'skills/a'), { recursive: true }),
      'STATE_SKILL_MISSING',
      4,
    ],
    [
      'another name',
      (made) => void made.put('project/skills/a/SKILL.md', skillText('z', 'What a does.')),
      'STATE_SKILLS_DRIFT',
      4,
    ],
    [
      'another description',
      (made) => void made.put('project/skills/a/SKILL.md', skillText('a', 'New.')),
      'STATE_SKILLS_DRIFT',
      4,
    ],
  ])('names %s', async (_, change, code, status) => {
    const made = await indexed()
    change(made)
    expect(new Set(await codesOf(made))).toEqual(new Set([code]))
    expect((await run(made, 'check')).status).toBe(status)
  })

  it('does not mind other white space', async () => {
    const made = await indexed()
    made.put('project/skills/a/SKILL.md', '---\nname: a\ndescription: >\n  What a\n    does.\n---\n')
    expect(await codesOf(made)).toEqual([])
  })

  it.each([
    ['an object', '{}', 'MANIFEST_SKILLS_INDEX'],
    ['a bad path', JSON.stringify([entry('a', { path: '../a' })]), 'MANIFEST_SKILL_PATH'],
    ['a bad date', JSON.stringify([entry('a', { date_added: 'x' })]), 'MANIFEST_SKILL_DATE'],
  ])('is exit 3 for %s', async (_, text, code) => {
    const made = await indexed()
    made.put('project/skills_index.json', text)
    expect(await codesOf(made)).toContain(code)
    expect((await run(made, 'check')).status).toBe(3)
  })

  it('is exit 4 without an index', async () => {
    const { status, json } = await run(withSkills(), 'check', '--json')
    expect({ status, code: json.error.code }).toEqual({ status: 4, code: 'STATE_NO_SKILLS_INDEX' })
  })
})

describe('skills lock', () => {
  const locked = async (): Promise<Machine> => {
    const made = withSkills()
    made.put('project/skills/a/more.md', 'more')
    await run(made, 'index')
    await run(made, 'lock')
    return made
  }

  it('gives the same bytes for the same catalog', async () => {
    const made = await locked()
    const text = read(made, 'skills_index.lock.json')
    expect((await run(made, 'lock')).stdout).toContain('nothing to do')
    expect(read(made, 'skills_index.lock.json')).toBe(text)
    expect(Object.keys((JSON.parse(text) as { skills: object }).skills)).toEqual(['a', 'b'])
  })

  it.each(['skills/a/SKILL.md', 'skills/a/more.md', 'skills/a/added.md'])(
    'makes a read of the skill fail by name after %s changed, and no other',
    async (file) => {
      const made = await locked()
      writeFileSync(join(made.project, file), 'changed')
      const refused = await run(made, 'resolve', '--message', '@a', '--json')
      expect(refused.json.error).toMatchObject({ code: 'INTEGRITY_SKILL_CHANGED' })
      expect(refused.json.error.message).toContain('"a"')
      expect((await run(made, 'resolve', '--message', '@b')).status).toBe(0)
      const { json } = await run(made, 'check', '--json')
      const errors = (json.data['diagnostics'] as { code: string; id?: string }[]).map(({ code, id }) => [code, id])
      expect(errors).toContainEqual(['INTEGRITY_SKILL_CHANGED', 'a'])
      expect(errors).not.toContainEqual(['INTEGRITY_SKILL_CHANGED', 'b'])
    },
  )

  it('makes every read fail when the index changed, or the lock is broken', async () => {
    const made = await locked()
    const lock = read(made, 'skills_index.lock.json')
    made.put('project/skills_index.lock.json', lock.replace('"schema": 1', '"schema": 2'))
    expect((await run(made, 'search', 'a', '--json')).json.error.code).toBe('MANIFEST_SKILLS_LOCK')
    made.put('project/skills_index.lock.json', lock)
    made.put('project/skills_index.json', read(made, 'skills_index.json').replace('What a', 'When a'))
    expect((await run(made, 'show', 'a', '--json')).json.error.code).toBe('INTEGRITY_SKILL_CHANGED')
  })

  it('refuses to lock a skill that contains a link, a hard link or a FIFO', async () => {
    const made = withSkills()
    await run(made, 'index')
    const folder = join(made.project, 'skills/a')
    made.put('outside.md', 'x')
    for (const plant of [
      (path: string) => symlinkSync(join(made.root, 'outside.md'), path),
      (path: string) => linkSync(join(made.root, 'outside.md'), path),
      (path: string) => execFileSync('mkfifo', [path]),
    ]) {
      plant(join(folder, 'odd'))
      expect((await run(made, 'lock', '--json')).json.error.code).toBe('POLICY_SKILL_CONFINED')
      rmSync(join(folder, 'odd'))
    }
  })
})

describe('skills resolve, show and search', () => {
  it('give exactly the shape of the contract', async () => {
    const made = withSkills()
    await run(made, 'index')
    const { json } = await run(made, 'resolve', '--message', 'use @a and @nobody', '--json')
    expect(json.data).toMatchObject({
      skills: [{ id: 'a', path: 'skills/a', bytes: skillText('a').length, text: skillText('a') }],
      unknown: [{ mention: 'nobody', suggestions: [] }],
      dropped: [],
      errors: [],
    })
    expect((await run(made, 'search', 'a', '--json')).json.data).toMatchObject({ skills: [{ id: 'a' }] })
    expect((await run(made, 'show', 'a', '--json')).json.data).toMatchObject({ id: 'a', path: 'skills/a' })
  })

  it('label what others wrote', async () => {
    const made = withSkills()
    await run(made, 'index')
    for (const args of [
      ['resolve', '--message', '@a'],
      ['show', 'a', '--body'],
    ])
      expect((await run(made, ...args)).stdout).toContain('untrusted content of skill "a"')
  })

  it('read messages from stdin as JSON, and refuse anything else', async () => {
    const made = withSkills()
    await run(made, 'index')
    const resolve = (input: string) =>
      made.gsd(['skills', 'resolve', '--message', '-', '--json'], { cwd: made.project, input })
    const messages = [{ role: 'user', content: [{ type: 'text', text: '@a' }] }]
    expect((await resolve(JSON.stringify(messages))).json.data['skills']).toMatchObject([{ id: 'a' }])
    expect((await resolve(JSON.stringify({ messages }))).json.data['skills']).toMatchObject([{ id: 'a' }])
    for (const input of ['use @a', '', '{}', '7'])
      expect((await resolve(input)).json.error.code).toBe('USAGE_BAD_VALUE')
  })

  it('name the nearest id', async () => {
    const made = machine()
    made.put('project/skills/brainstorming/SKILL.md', skillText('brainstorming'))
    await run(made, 'index')
    expect((await run(made, 'show', 'brainstormin', '--json')).json.error.hint).toContain('brainstorming')
  })

  it('go by SKILLS_ROOT, and a flag goes before it', async () => {
    const made = withSkills()
    await run(made, 'index')
    const elsewhere = { cwd: made.home, env: { SKILLS_ROOT: made.project } }
    expect((await made.gsd(['skills', 'search', 'a'], elsewhere)).status).toBe(0)
    expect((await made.gsd(['skills', 'search', 'a', '--skills-root', made.home], elsewhere)).status).toBe(4)
  })

  it('keep the others of a turn when asked to collect', async () => {
    const made = withSkills()
    await run(made, 'index')
    rmSync(join(made.project, 'skills/a'), { recursive: true })
    const { status, json } = await run(made, 'resolve', '--message', '@a @b', '--on-error', 'collect', '--json')
    expect(status).toBe(0)
    expect(json.data).toMatchObject({ skills: [{ id: 'b' }], errors: [{ id: 'a', code: 'STATE_SKILL_MISSING' }] })
  })
})

describe('skills stack', () => {
  const composed = async (): Promise<Machine> => {
    const made = withSkills()
    await run(made, 'index')
    const { stdout } = await run(made, 'stack', 'compose', 'b', 'a', '--deny-risk', 'offensive')
    made.put('project/stack.json', stdout)
    return made
  }

  it('is checked against catalog, policy and content', async () => {
    const made = await composed()
    expect((await run(made, 'stack', 'check', 'stack.json')).status).toBe(0)
    made.put('project/skills/a/SKILL.md', skillText('a', undefined, 'other'))
    const { status, json } = await run(made, 'stack', 'check', 'stack.json', '--json')
    expect(status).toBe(3)
    expect(json.data['diagnostics']).toMatchObject([{ id: 'a', code: 'INTEGRITY_SKILL_CHANGED' }])
  })

  it('refuses ids that are not exact, and labels that the policy does not allow', async () => {
    const made = await composed()
    for (const args of [['A'], ['skills/a'], ['a', '--allow-risk', 'safe'], ['a', '--deny-source', 'unk*']])
      expect((await run(made, 'stack', 'compose', ...args)).status, args.join(' ')).toBe(3)
    const stack = JSON.parse(read(made, 'stack.json')) as Record<string, unknown>
    made.put('project/stack.json', JSON.stringify({ ...stack, policy: { allow_risk: [] } }))
    const { json } = await run(made, 'stack', 'check', 'stack.json', '--json')
    expect(json.data['diagnostics']).toMatchObject([{ code: 'POLICY_SKILL_STACK' }, { code: 'POLICY_SKILL_STACK' }])
  })

  it('names another catalog', async () => {
    const made = await composed()
    made.put('project/skills/c/SKILL.md', skillText('c'))
    await run(made, 'index')
    const { json } = await run(made, 'stack', 'check', 'stack.json', '--json')
    expect(json.data['diagnostics']).toMatchObject([{ code: 'STATE_SKILLS_DRIFT' }])
  })

  it.each(['', '[]', '{"schema":2}', '{"schema":1,"skills":[]}', 'nonsense'])('refuses the file %j', async (text) => {
    const made = await composed()
    made.put('project/stack.json', text)
    expect((await run(made, 'stack', 'check', 'stack.json', '--json')).json.error.code).toBe('MANIFEST_SKILL_STACK')
  })

  it('is compared by content', async () => {
    const made = await composed()
    made.put('project/skills/a/SKILL.md', skillText('a', undefined, 'other'))
    made.put('project/new.json', (await run(made, 'stack', 'compose', 'a')).stdout)
    const { json } = await run(made, 'stack', 'diff', 'stack.json', 'new.json', '--json')
    expect(json.data).toEqual({ added: [], removed: ['b'], changed: [{ id: 'a', fields: ['digest'] }], unchanged: [] })
  })
})

describe('skills of installed capabilities', () => {
  const installed = async (): Promise<Machine> => {
    const made = machine()
    const bundle = made.bundle(
      'helper',
      { skills: ['help-me'] },
      { 'skills/help-me/SKILL.md': skillText('help-me', 'Helps.') },
    )
    await made.gsd(['capability', 'install', bundle, '--yes', '--scope', 'global'], { cwd: made.project })
    return made
  }

  it('are found and read without an index', async () => {
    const made = await installed()
    expect((await run(made, 'search', 'helps', '--installed', '--json')).json.data).toMatchObject({
      skills: [{ id: 'help-me', source: 'capability:helper' }],
    })
    expect((await run(made, 'show', 'help-me', '--installed', '--body')).stdout).toContain('Helps.')
  })

  it('go into an index, are checked, and are read from their capability', async () => {
    const made = await installed()
    made.put('project/skills/a/SKILL.md', skillText('a'))
    await run(made, 'index', '--installed')
    expect((await run(made, 'check', '--installed')).status).toBe(0)
    const read = await run(made, 'resolve', '--message', '@a @help-me', '--installed', '--json')
    expect(read.json.data['skills']).toMatchObject([{ id: 'a' }, { id: 'help-me' }])
    await made.gsd(['capability', 'remove', 'helper', '--yes'], { cwd: made.project })
    expect((await run(made, 'check', '--installed')).status).toBe(4)
  })
})

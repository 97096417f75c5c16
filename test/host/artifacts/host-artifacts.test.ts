import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { findConverter } from '../../../src/host/artifacts/converters.ts'
import { createField, joinFrontmatter, splitFrontmatter, parseList } from '../../../src/host/artifacts/frontmatter.ts'
import { hostArtifacts } from '../../../src/host/artifacts/host-artifacts.ts'
import type { PlacementFolder } from '../../../src/host/runtimes/runtime-paths.ts'
import type { RuntimeBody } from '../../../src/manifest/manifest.ts'
import { capabilityWith } from '../../helpers/feature-manifest.ts'
import { fc } from '../../helpers/property.ts'

const CAPABILITIES = join(import.meta.dirname, '../../../capabilities')

const file = (path: string) => ({ path, size: 1, executable: false, sha512: '', shebang: false })
const kind = (rest: Partial<PlacementFolder>): PlacementFolder => ({
  kind: 'skills',
  folder: '/h/skills',
  prefix: 'gsd-',
  nesting: 'flat',
  converter: null,
  ...rest,
})
const FILES = [
  'skills/look/SKILL.md',
  'skills/look/refs/a.md',
  'skills/old.md',
  'agents/gsd-check.md',
  'skills/lookout/x.md',
].map(file)
const MANIFEST = capabilityWith('guard', [], { skills: ['look', 'old', 'gone'], agents: ['gsd-check'] })
const placed = (...layout: PlacementFolder[]) => {
  const { files, notPlaced } = hostArtifacts(MANIFEST, FILES, layout)
  return { files: files.map((each) => `${each.source.path} → ${each.file}`), left: notPlaced }
}

describe('the paths of skills, agents and commands', () => {
  it('a skill is a folder with every file next to its SKILL.md, with the prefix', () => {
    expect(placed(kind({})).files).toEqual([
      'skills/look/SKILL.md → /h/skills/gsd-look/SKILL.md',
      'skills/look/refs/a.md → /h/skills/gsd-look/refs/a.md',
      'skills/old.md → /h/skills/gsd-old/SKILL.md',
    ])
  })

  it('a command is one file made from a skill; nested, in a folder of its own', () => {
    const commands = { kind: 'commands', folder: '/h/commands' } as const
    expect(placed(kind(commands)).files).toEqual([
      'skills/look/SKILL.md → /h/commands/gsd-look.md',
      'skills/old.md → /h/commands/gsd-old.md',
    ])
    expect(placed(kind({ ...commands, nesting: 'nested' })).files[0]).toBe(
      'skills/look/SKILL.md → /h/commands/gsd-look/gsd-look.md',
    )
  })

  it('a prefix that the name already has is not doubled', () => {
    expect(placed(kind({ kind: 'agents', folder: '/h/agents' })).files).toEqual([
      'agents/gsd-check.md → /h/agents/gsd-check.md',
    ])
  })

  it('a file that cannot be written is reported', () => {
    expect(placed(kind({ kind: 'kimi-agents' }))).toMatchObject({
      files: [],
      left: [expect.stringContaining('agents')],
    })
    expect(placed(kind({ converter: 'constructor' }))).toMatchObject({
      files: [],
      left: [expect.stringContaining('"constructor"')],
    })
  })

  /** Their agents are not placed, and this is said. */
  const WITHOUT_WRITER = [
    'convertClaudeAgentToCodexAgent',
    'convertClaudeAgentToHermesAgent',
    'convertClaudeAgentToZcodeAgent',
  ]

  it('every converter that a host of the program names exists, but for the agents of three hosts', () => {
    const names = readdirSync(CAPABILITIES).flatMap((id) => {
      const manifest = JSON.parse(readFileSync(join(CAPABILITIES, id, 'capability.json'), 'utf8')) as {
        runtime?: RuntimeBody
      }
      const { global = [], local = [] } = manifest.runtime?.artifactLayout ?? {}
      return [...global, ...local].map(({ converter }) => converter ?? null)
    })
    expect(names.length).toBeGreaterThan(20)
    const missing = new Set(names.filter((name) => findConverter(name, 'agents') === undefined))
    expect(missing).toEqual(new Set(WITHOUT_WRITER))
  })
})

describe('a frontmatter', () => {
  it.each([
    '---\nname: a\ndescription: >\n  two\n  lines\n# note\ntools:\n  - A\n  - B\n---\nbody\n---\nmore\n',
    '---\r\nname: a\r\n---\r\nbody',
    '\uFEFF---\n---\n',
    '---\n\n# only a comment\n---\nbody',
    '---\n"name": a\n\'b\' : c\n---\nbody',
    '---\n  name: a\n  b:\n    name: c\n---\nbody',
    '---\n{name: a}\n---\nbody',
    '---\n- a\nb: c\n---\nbody',
  ])('is split and joined byte for byte: %j', (text) => {
    const found = splitFrontmatter(text)
    expect(found).not.toBeNull()
    if (found !== null) expect(joinFrontmatter(found)).toBe(text)
  })

  it.each(['', 'body\n', '---\nname: a\n', ' ---\nname: a\n---\n', 'a\n---\nname: b\n---\n', '----\na: b\n----\n'])(
    'is absent unless it is at the top and closed: %j',
    (text) => expect(splitFrontmatter(text)).toBeNull(),
  )

  it.each([
    ['tools: A, B', ['A', 'B']],
    ['tools: [A, "B", \'C\']', ['A', 'B', 'C']],
    ['tools:\n  - A\n  - "B"\n', ['A', 'B']],
    ['tools: Bash(git:a,b), Read', ['Bash(git:a,b)', 'Read']],
    ['tools:', []],
    ['tools: "A, Bash(git:a,b)"', ['A', 'Bash(git:a,b)']],
    ["tools: 'A'", ['A']],
    ['tools: A, B # both', ['A', 'B']],
    ['tools: # two\n  - A # one\n  # none\n  - B', ['A', 'B']],
    ['tools: [A, # one\n  B]', ['A', 'B']],
    ['tools: mcp__x#y', ['mcp__x#y']],
  ])('has the words of %j', (raw, words) => expect(parseList({ key: 'tools', raw })).toEqual(words))

  it.each([
    ['plain', 'k: plain\n'],
    ['true', 'k: "true"\n'],
    ['a: b', 'k: "a: b"\n'],
    ['- x', 'k: "- x"\n'],
    ['é', 'k: "é"\n'],
    ['two\nlines', String.raw`k: "two\nlines"` + '\n'],
  ])('writes %j in one line that reads back the same', (value, raw) =>
    expect(createField('k', value, '\n').raw).toBe(raw),
  )
})

describe('a converter', () => {
  const NAMES = { name: 'gsd-look', description: 'Title: "x"' }
  const convert = (name: string, text: string): string => findConverter(name, 'skills')?.(text, NAMES) ?? 'none'
  const AGENT =
    '---\nname: check\ndescription: Checks.\ntools: Read, Bash(git:*), Edit, Write, mcp__x\nmodel: opus\n---\nbody'

  it('keeps the members that Claude Code reads, with the name of the folder', () => {
    expect(
      convert('convertClaudeCommandToClaudeSkill', '---\nargument-hint: x\nname: look\ndescription: d\n---\nb'),
    ).toBe('---\nargument-hint: x\nname: gsd-look\ndescription: "d"\n---\nb')
  })

  it.each([
    ['---\n"name": look\n\'description\': "d"\n"x": 1\n---\nb', '---\nname: gsd-look\n\'description\': "d"\n---\nb'],
    ['---\n  x: 1\n  name: look\n---\nb', '---\n  description: "Title: \\"x\\""\n  name: gsd-look\n---\nb'],
    ['---\n  metadata:\n    name: inner\n---\nb', ['  name: gsd-look\n', '  metadata:\n    name: inner\n']],
    ['---\n{name: look, x: 1}\n---\nb', '---\n{name: look, x: 1}\n---\nb'],
    ['---\n- name: look\n---\nb', '---\n- name: look\n---\nb'],
    ['---\nname:look\n---\nb', '---\nname:look\n---\nb'],
  ])('reads members as YAML does, and keeps lines that are not members: %j', (text, wanted) => {
    const made = convert('convertClaudeCommandToCodexSkill', text)
    if (typeof wanted === 'string') expect(made).toBe(wanted)
    else for (const part of wanted) expect(made).toContain(part)
  })

  it('leaves an empty list of tools unchanged', () => {
    for (const tools of ['tools:', 'tools: []'])
      expect(convert('convertClaudeAgentToCopilotAgent', `---\ndescription: d\n${tools}\n---\n`)).toContain(
        `${tools}\n`,
      )
  })

  it('keeps only the members that every host reads, and adds the required ones', () => {
    expect(convert('convertClaudeCommandToCodexSkill', '---\nallowed-tools: Bash\n---\nb')).toBe(
      '---\nname: gsd-look\ndescription: "Title: \\"x\\""\n---\nb',
    )
    expect(convert('convertClaudeCommandToCodexSkill', '\uFEFFb\n')).toBe(
      '\uFEFF---\nname: gsd-look\ndescription: "Title: \\"x\\""\n---\nb\n',
    )
  })

  it.each([
    ['description: Use for this: and that', 'Use for this: and that'],
    ['description: Fill in {{X}}, <tag> & more', 'Fill in {{X}}, <tag> & more'],
    ['description: {{X}} first', '{{X}} first'],
    ['description: <b>bold</b>', '<b>bold</b>'],
    ['description: [draft] look', '[draft] look'],
    ['description: @team *all* `code`', '@team *all* `code`'],
    ['description: "a\\d"', String.raw`a\d`],
    ['description: "open', '"open'],
    ["description: 'it''s'", "it's"],
    ['description: two\nmore lines', 'two more lines'],
    ['description: |\n  one\n\ttwo', 'one\ntwo'],
    ['description: >-\n  one\n  two', 'one two'],
    ['description:\tafter a tab', 'after a tab'],
    ['description: first # comment', 'first'],
    ['description: one\ndescription: two', 'one'],
    ['description: d\nargument-hint: [file] [mode: fast]', 'd'],
    ['description: d\nargument-hint: !x {{Y}}', 'd'],
    ['description: d\nmetadata:\n\ta: b', 'd'],
    ['description: d\nmetadata:\n  a: b: c', 'd'],
    ['description: d\nallowed-tools:\n- Read\n- "B', 'd'],
  ])('always writes YAML, with the description as it reads: %j', (fields, wanted) => {
    const text = convert('convertClaudeCommandToClaudeSkill', `--- \nname: other\n${fields}\n---  \nbody`)
    const [, yaml = '', body] = /^---\n([^]*?)\n---\n(.*)$/.exec(text) ?? []
    expect(parse(yaml, { strict: true })).toMatchObject({ name: 'gsd-look', description: wanted })
    expect(body).toBe('body')
  })

  it('without a name in a layout gives agents the name of the file, and takes the name out of commands', () => {
    expect(findConverter(null, 'agents')?.('---\nname: check\ndescription: "d"\nmodel: x\n---\nb', NAMES)).toBe(
      '---\nname: gsd-look\ndescription: "d"\nmodel: x\n---\nb',
    )
    expect(findConverter(null, 'commands')?.('---\nname: sorter\ndescription: "d"\n---\nb', NAMES)).toBe(
      '---\ndescription: "d"\n---\nb',
    )
  })

  it.each(['convertClaudeToOpencodeFrontmatter', 'convertClaudeToKiloFrontmatter'])(
    'makes a subagent without tools, model and name for opencode and Kilo: %s',
    (name) => expect(convert(name, AGENT)).toBe('---\ndescription: "Checks."\nmode: subagent\n---\nbody'),
  )

  it('gives tools the names of the host', () => {
    expect(convert('convertClaudeAgentToCopilotAgent', AGENT)).toContain(
      'tools: ["read", "execute", "edit", "mcp__x"]\n',
    )
    expect(convert('convertClaudeAgentToQwenAgent', AGENT)).toContain('"run_shell_command"')
    expect(convert('convertClaudeAgentToCursorAgent', AGENT)).toBe(
      '---\nname: gsd-look\ndescription: "Checks."\n---\nbody',
    )
  })

  it('keeps any text after the frontmatter byte for byte', () => {
    const names = [
      'convertClaudeCommandToCodexSkill',
      'convertClaudeAgentToCopilotAgent',
      'convertClaudeCommandToClaudeSkill',
    ]
    fc.assert(
      fc.property(
        fc.constantFrom(...names),
        fc.constantFrom('\n', '\r\n'),
        fc.string({ unit: 'grapheme' }),
        (name, eol, body) => {
          const head = `---${eol}name: x${eol}description: y${eol}---${eol}`
          expect(convert(name, head + body).endsWith(`---${eol}${body}`)).toBe(true)
          expect(convert(name, convert(name, head + body))).toBe(convert(name, head + body))
        },
      ),
    )
  })
})

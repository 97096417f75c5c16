import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach } from 'vitest'

/** The index of a real collection of 1,988 skills, without their bodies. */
export const REAL_INDEX = join(import.meta.dirname, '../../fixtures/skills/skills_index.json')

/** A skills root of one test. */
export interface SkillsRoot {
  readonly root: string
  /** A folder beside the root, for what lies outside. */
  readonly outside: string
  put(path: string, content: string | Uint8Array): string
  text(path: string): string
  /** Writes the `SKILL.md` of a skill and returns its folder relative to the root. */
  skill(path: string, body?: string): string
  /** Writes an index of these entries, completed, and its mirror. */
  index(entries: readonly Readonly<Record<string, unknown>>[]): void
}

/** An entry with all required fields. */
export const entry = (id: string, rest: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  id,
  path: `skills/${id}`,
  category: 'testing',
  name: id,
  description: `What ${id} does.`,
  risk: 'safe',
  source: 'community',
  date_added: '2026-02-27',
  ...rest,
})

/** Text of a `SKILL.md` with frontmatter. */
export const skillText = (name: string, description = `What ${name} does.`, body = `# ${name}\n`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`

const made: string[] = []

/** Folders are removed after each test of the file that calls this. */
export const skillsRoot = (): SkillsRoot => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "gsd skills '$ ")))
  made.push(base)
  const [root, outside] = [join(base, 'root'), join(base, 'outside')]
  mkdirSync(root)
  mkdirSync(outside)
  const put = (path: string, content: string | Uint8Array): string => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return file
  }
  return {
    root,
    outside,
    put,
    text: (path) => readFileSync(join(root, path), 'utf8'),
    skill(path, body) {
      const folder = `skills/${path}`
      put(`${folder}/SKILL.md`, body ?? skillText(path.slice(path.lastIndexOf('/') + 1)))
      return folder
    },
    index(entries) {
      const text = `${JSON.stringify(entries, null, 2)}\n`
      put('skills_index.json', text)
      put('data/skills_index.json', text)
    },
  }
}

afterEach(() => {
  for (const base of made.splice(0)) rmSync(base, { recursive: true, force: true })
})

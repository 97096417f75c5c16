import {
  createField,
  isUnsupportedForm,
  joinFrontmatter,
  splitFrontmatter,
  parseList,
  type Field,
  type Frontmatter,
} from './frontmatter.ts'
import { ANTIGRAVITY_TOOLS, AUGMENT_TOOLS, COPILOT_TOOLS, QWEN_TOOLS, type ToolNames } from './tool-names.ts'
import { validField } from './valid-field.ts'

/** The name of a converted artefact where it is placed, and a description for a text without one. */
export interface ArtifactNames {
  readonly name: string
  readonly description: string
}

/** Converts a text for Claude Code for another host: only the frontmatter changes. */
export type Converter = (text: string, names: ArtifactNames) => string

/** How a host's frontmatter differs. */
interface FrontmatterForm {
  /** Members the host reads; null: it reads what Claude Code reads. */
  readonly keys: readonly string[] | null
  /** The member `name`: that of its file or folder; or none, where the host would call it by that. */
  readonly name: 'of-file' | 'none'
  /** Members that the host needs besides. */
  readonly constants?: Readonly<Record<string, string>>
  /** Names of tools in `tools` and `allowed-tools`; null: they are kept. */
  readonly tools: ToolNames | null
}

const createConverter =
  ({ keys, name: rule, tools, constants = {} }: FrontmatterForm): Converter =>
  (text, { name, description }) => {
    const found = splitFrontmatter(text)
    // A form that is not understood is kept: converted it might be unreadable.
    if (found !== null && isUnsupportedForm(found)) return text
    const eol = found?.eol ?? '\n'
    const made = (key: string, value: string): Field => {
      const field = createField(key, value, eol)
      return { ...field, raw: (found?.indent ?? '') + field.raw }
    }
    const own = (found?.fields ?? []).filter(
      ({ key }, index, all) =>
        (keys === null || keys.includes(key)) &&
        (rule === 'of-file' || key !== 'name') &&
        !Object.hasOwn(constants, key) &&
        all.findIndex((each) => each.key === key) === index,
    )
    const fields = own.map((field) => {
      if (field.key === 'name') return made('name', name)
      return tools !== null && TOOL_KEYS.includes(field.key)
        ? renameTools(field, tools, found?.indent ?? '', eol)
        : validField(field, found?.indent ?? '', eol)
    })
    const missing = [
      ...(rule === 'of-file' && !hasField(own, 'name') ? [made('name', name)] : []),
      ...(hasField(own, 'description') ? [] : [made('description', description)]),
    ]
    const all = [...missing, ...fields, ...Object.entries(constants).map(([key, value]) => made(key, value))]
    if (found !== null) return joinFrontmatter({ ...withPlainDelimiters(found), fields: all })
    const [bom, body] = text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text]
    return `${bom}---${eol}${all.map(({ raw }) => raw).join('')}---${eol}${body}`
  }

/** Some hosts take only `---` without blanks for a delimiter. */
const withPlainDelimiters = (found: Frontmatter): Frontmatter => ({
  ...found,
  open: found.open.replace(/[ \t]+/, ''),
  rest: found.rest.replace(/^---[ \t]+/, '---'),
})

const TOOL_KEYS = ['tools', 'allowed-tools']

const hasField = (fields: readonly Field[], key: string): boolean => fields.some((field) => field.key === key)

const renameTools = (field: Field, tools: ToolNames, indent: string, eol: string): Field => {
  const words = parseList(field).map((word) => {
    const bare = /^[^(]*/.exec(word)?.[0] ?? word
    return Object.hasOwn(tools, bare) ? (tools[bare] ?? word) : word
  })
  // No tools named is not an empty list, which some hosts read as no tools at all.
  if (words.length === 0) return field
  const list = [...new Set(words)].map((word) => JSON.stringify(word)).join(', ')
  return { key: field.key, raw: `${indent}${field.key}: [${list}]${eol}` }
}

/** What every host that reads skills knows of their frontmatter. */
const SKILL: FrontmatterForm = {
  keys: ['name', 'description', 'license', 'compatibility', 'metadata'],
  name: 'of-file',
  tools: null,
}
const AGENT: FrontmatterForm = { keys: ['name', 'description'], name: 'of-file', tools: null }
/** These hosts refuse a list of tools and the models of Claude Code, and run no agent but as a subagent. */
const SUBAGENT: FrontmatterForm = {
  keys: ['description'],
  name: 'none',
  tools: null,
  constants: { mode: 'subagent' },
}
const agentForm = (tools: ToolNames): FrontmatterForm => ({
  keys: ['name', 'description', 'tools'],
  name: 'of-file',
  tools,
})

const skill = createConverter(SKILL)

/** Every converter a layout may name (rule 31), each a named function. */
const CONVERTERS: ReadonlyMap<string, Converter> = new Map(
  Object.entries({
    convertClaudeCommandToClaudeSkill: createConverter({ keys: null, name: 'of-file', tools: null }),
    convertClaudeCommandToCodexSkill: skill,
    convertClaudeCommandToOpencodeSkill: skill,
    convertClaudeCommandToKiloSkill: skill,
    convertClaudeCommandToCursorSkill: skill,
    convertClaudeCommandToCopilotSkill: skill,
    convertClaudeCommandToAntigravitySkill: skill,
    convertClaudeCommandToAugmentSkill: skill,
    convertClaudeCommandToTraeSkill: skill,
    convertClaudeCommandToCodebuddySkill: createConverter({ keys: null, name: 'of-file', tools: null }),
    convertClaudeCommandToClineSkill: skill,
    convertClaudeCommandToKimiSkill: skill,
    convertClaudeCommandToKimiCodeSkill: skill,
    convertClaudeCommandToPiSkill: skill,
    convertClaudeCommandToWindsurfWorkflow: createConverter({
      keys: ['description'],
      name: 'none',
      tools: null,
    }),
    convertClaudeCommandToCodebuddyCommand: createConverter({ keys: null, name: 'none', tools: null }),
    convertClaudeAgentToCursorAgent: createConverter({
      keys: ['name', 'description', 'readonly', 'is_background'],
      name: 'of-file',
      tools: null,
    }),
    convertClaudeAgentToCopilotAgent: createConverter(agentForm(COPILOT_TOOLS)),
    convertClaudeAgentToAntigravityAgent: createConverter(agentForm(ANTIGRAVITY_TOOLS)),
    convertClaudeAgentToAugmentAgent: createConverter(agentForm(AUGMENT_TOOLS)),
    convertClaudeAgentToQwenAgent: createConverter(agentForm(QWEN_TOOLS)),
    convertClaudeAgentToWindsurfAgent: createConverter(AGENT),
    convertClaudeAgentToTraeAgent: createConverter(AGENT),
    convertClaudeAgentToClineAgent: createConverter(AGENT),
    convertClaudeToOpencodeFrontmatter: createConverter(SUBAGENT),
    convertClaudeToKiloFrontmatter: createConverter(SUBAGENT),
    convertClaudeAgentToCodebuddyAgent: createConverter({ keys: null, name: 'of-file', tools: null }),
  }),
)

const CLAUDE = { keys: null, tools: null } as const

/** For a layout without a converter: what Claude Code reads, under the name of the file. */
const DEFAULTS = {
  skills: createConverter({ ...CLAUDE, name: 'of-file' }),
  agents: createConverter({ ...CLAUDE, name: 'of-file' }),
  // A command is called by the name of its file, in some hosts by a `name` before that.
  commands: createConverter({ ...CLAUDE, name: 'none' }),
} as const satisfies Record<ConvertedKind, Converter>

export type ConvertedKind = 'skills' | 'agents' | 'commands'

/** The converter of that name, or that of the kind. Undefined: there is none of that name. */
export const findConverter = (name: string | null, kind: ConvertedKind): Converter | undefined =>
  name === null ? DEFAULTS[kind] : CONVERTERS.get(name)

/** The end of the name of a converted file, where it is not `.md`. */
export const extensionFor = (converter: string | null): string =>
  converter === 'convertClaudeAgentToClineAgent' ? '.yaml' : '.md'

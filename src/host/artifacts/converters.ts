import {
  createField,
  isUnsupportedForm,
  joinFrontmatter,
  splitFrontmatter,
  parseList,
  type Field,
} from './frontmatter.ts'
import { ANTIGRAVITY_TOOLS, AUGMENT_TOOLS, COPILOT_TOOLS, QWEN_TOOLS, type ToolNames } from './tool-names.ts'

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
  /** The member `name` must be the name of its file or folder. */
  readonly requiresName: boolean
  /** Names of tools in `tools` and `allowed-tools`; null: they are kept. */
  readonly tools: ToolNames | null
}

const createConverter =
  ({ keys, requiresName, tools }: FrontmatterForm): Converter =>
  (text, { name, description }) => {
    const found = splitFrontmatter(text)
    // A form that is not understood is kept: converted it might be unreadable.
    if (found !== null && isUnsupportedForm(found)) return text
    const eol = found?.eol ?? '\n'
    const made = (key: string, value: string): Field => {
      const field = createField(key, value, eol)
      return { ...field, raw: (found?.indent ?? '') + field.raw }
    }
    const own = (found?.fields ?? []).filter(({ key }) => keys === null || keys.includes(key))
    const fields = own.map((field) => {
      if (requiresName && field.key === 'name') return made('name', name)
      return tools !== null && TOOL_KEYS.includes(field.key)
        ? renameTools(field, tools, found?.indent ?? '', eol)
        : field
    })
    const missing = [
      ...(requiresName && !hasField(own, 'name') ? [made('name', name)] : []),
      ...(hasField(own, 'description') ? [] : [made('description', description)]),
    ]
    const all = [...missing, ...fields]
    if (found !== null) return joinFrontmatter({ ...found, fields: all })
    const [bom, body] = text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text]
    return `${bom}---${eol}${all.map(({ raw }) => raw).join('')}---${eol}${body}`
  }

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
  requiresName: true,
  tools: null,
}
const AGENT: FrontmatterForm = { keys: ['name', 'description'], requiresName: true, tools: null }
const agentForm = (tools: ToolNames): FrontmatterForm => ({
  keys: ['name', 'description', 'tools'],
  requiresName: true,
  tools,
})

const skill = createConverter(SKILL)

/** Every converter a layout may name (rule 31), each a named function. */
const CONVERTERS: ReadonlyMap<string, Converter> = new Map(
  Object.entries({
    convertClaudeCommandToClaudeSkill: createConverter({ keys: null, requiresName: true, tools: null }),
    convertClaudeCommandToCodexSkill: skill,
    convertClaudeCommandToOpencodeSkill: skill,
    convertClaudeCommandToKiloSkill: skill,
    convertClaudeCommandToCursorSkill: skill,
    convertClaudeCommandToCopilotSkill: skill,
    convertClaudeCommandToAntigravitySkill: skill,
    convertClaudeCommandToAugmentSkill: skill,
    convertClaudeCommandToTraeSkill: skill,
    convertClaudeCommandToCodebuddySkill: createConverter({ keys: null, requiresName: true, tools: null }),
    convertClaudeCommandToClineSkill: skill,
    convertClaudeCommandToKimiSkill: skill,
    convertClaudeCommandToKimiCodeSkill: skill,
    convertClaudeCommandToWindsurfWorkflow: createConverter({
      keys: ['description'],
      requiresName: false,
      tools: null,
    }),
    convertClaudeCommandToCodebuddyCommand: createConverter({ keys: null, requiresName: false, tools: null }),
    convertClaudeAgentToCursorAgent: createConverter({
      keys: ['name', 'description', 'readonly', 'is_background'],
      requiresName: true,
      tools: null,
    }),
    convertClaudeAgentToCopilotAgent: createConverter(agentForm(COPILOT_TOOLS)),
    convertClaudeAgentToAntigravityAgent: createConverter(agentForm(ANTIGRAVITY_TOOLS)),
    convertClaudeAgentToAugmentAgent: createConverter(agentForm(AUGMENT_TOOLS)),
    convertClaudeAgentToQwenAgent: createConverter(agentForm(QWEN_TOOLS)),
    convertClaudeAgentToWindsurfAgent: createConverter(AGENT),
    convertClaudeAgentToTraeAgent: createConverter(AGENT),
    convertClaudeAgentToCodebuddyAgent: createConverter({ keys: null, requiresName: true, tools: null }),
  }),
)

const keepText: Converter = (text) => text

/** The converter of that name; without a name the text is kept whole. Undefined: there is none of that name. */
export const findConverter = (name: string | null): Converter | undefined =>
  name === null ? keepText : CONVERTERS.get(name)

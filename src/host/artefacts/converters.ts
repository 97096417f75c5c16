import { fieldOf, isOtherForm, joinFrontmatter, splitFrontmatter, wordsOf, type Field } from './frontmatter.ts'
import { ANTIGRAVITY_TOOLS, AUGMENT_TOOLS, COPILOT_TOOLS, QWEN_TOOLS, type ToolNames } from './tool-names.ts'

/** What a converted artefact is called where it is placed, and what it says of itself where its text does not. */
export interface ArtefactNames {
  readonly name: string
  readonly description: string
}

/** Makes of a text for Claude Code one for another host: the frontmatter is converted, all behind it is kept. */
export type Converter = (text: string, names: ArtefactNames) => string

/** How a host's frontmatter differs. */
interface Form {
  /** Members the host reads; null: it reads what Claude Code reads. */
  readonly keys: readonly string[] | null
  /** It goes by the member `name`, which has to be that of its file or folder. */
  readonly named: boolean
  /** Names of tools in `tools` and `allowed-tools`; null: they are kept. */
  readonly tools: ToolNames | null
}

const converterFor =
  ({ keys, named, tools }: Form): Converter =>
  (text, { name, description }) => {
    const found = splitFrontmatter(text)
    // What is not understood would come out as something that no host reads.
    if (found !== null && isOtherForm(found)) return text
    const eol = found?.eol ?? '\n'
    const made = (key: string, value: string): Field => {
      const field = fieldOf(key, value, eol)
      return { ...field, raw: (found?.indent ?? '') + field.raw }
    }
    const own = (found?.fields ?? []).filter(({ key }) => keys === null || keys.includes(key))
    const fields = own.map((field) => {
      if (named && field.key === 'name') return made('name', name)
      return tools !== null && TOOL_KEYS.includes(field.key) ? renamed(field, tools, found?.indent ?? '', eol) : field
    })
    const missing = [
      ...(named && !has(own, 'name') ? [made('name', name)] : []),
      ...(has(own, 'description') ? [] : [made('description', description)]),
    ]
    const all = [...missing, ...fields]
    if (found !== null) return joinFrontmatter({ ...found, fields: all })
    const [bom, body] = text.startsWith('\uFEFF') ? ['\uFEFF', text.slice(1)] : ['', text]
    return `${bom}---${eol}${all.map(({ raw }) => raw).join('')}---${eol}${body}`
  }

const TOOL_KEYS = ['tools', 'allowed-tools']

const has = (fields: readonly Field[], key: string): boolean => fields.some((field) => field.key === key)

const renamed = (field: Field, tools: ToolNames, indent: string, eol: string): Field => {
  const words = wordsOf(field).map((word) => {
    const bare = /^[^(]*/.exec(word)?.[0] ?? word
    return Object.hasOwn(tools, bare) ? (tools[bare] ?? word) : word
  })
  // Nothing is not the same as an empty list, which some hosts take for no tools at all.
  if (words.length === 0) return field
  const list = [...new Set(words)].map((word) => JSON.stringify(word)).join(', ')
  return { key: field.key, raw: `${indent}${field.key}: [${list}]${eol}` }
}

/** What every host that reads skills knows of their frontmatter. */
const SKILL: Form = { keys: ['name', 'description', 'license', 'compatibility', 'metadata'], named: true, tools: null }
const AGENT: Form = { keys: ['name', 'description'], named: true, tools: null }
const agentWith = (tools: ToolNames): Form => ({ keys: ['name', 'description', 'tools'], named: true, tools })

const skill = converterFor(SKILL)

/** Every converter a layout may name (rule 31), each a named function. */
const CONVERTERS: ReadonlyMap<string, Converter> = new Map(
  Object.entries({
    convertClaudeCommandToClaudeSkill: converterFor({ keys: null, named: true, tools: null }),
    convertClaudeCommandToCodexSkill: skill,
    convertClaudeCommandToOpencodeSkill: skill,
    convertClaudeCommandToKiloSkill: skill,
    convertClaudeCommandToCursorSkill: skill,
    convertClaudeCommandToCopilotSkill: skill,
    convertClaudeCommandToAntigravitySkill: skill,
    convertClaudeCommandToAugmentSkill: skill,
    convertClaudeCommandToTraeSkill: skill,
    convertClaudeCommandToCodebuddySkill: converterFor({ keys: null, named: true, tools: null }),
    convertClaudeCommandToClineSkill: skill,
    convertClaudeCommandToKimiSkill: skill,
    convertClaudeCommandToKimiCodeSkill: skill,
    convertClaudeCommandToWindsurfWorkflow: converterFor({ keys: ['description'], named: false, tools: null }),
    convertClaudeCommandToCodebuddyCommand: converterFor({ keys: null, named: false, tools: null }),
    convertClaudeAgentToCursorAgent: converterFor({
      keys: ['name', 'description', 'readonly', 'is_background'],
      named: true,
      tools: null,
    }),
    convertClaudeAgentToCopilotAgent: converterFor(agentWith(COPILOT_TOOLS)),
    convertClaudeAgentToAntigravityAgent: converterFor(agentWith(ANTIGRAVITY_TOOLS)),
    convertClaudeAgentToAugmentAgent: converterFor(agentWith(AUGMENT_TOOLS)),
    convertClaudeAgentToQwenAgent: converterFor(agentWith(QWEN_TOOLS)),
    convertClaudeAgentToWindsurfAgent: converterFor(AGENT),
    convertClaudeAgentToTraeAgent: converterFor(AGENT),
    convertClaudeAgentToCodebuddyAgent: converterFor({ keys: null, named: true, tools: null }),
  }),
)

const asItIs: Converter = (text) => text

/** The converter of that name; without a name the text is kept whole. Undefined: there is none of that name. */
export const converterNamed = (name: string | null): Converter | undefined =>
  name === null ? asItIs : CONVERTERS.get(name)

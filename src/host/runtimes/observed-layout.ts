import type { LayoutItem, RuntimeBody } from '../../manifest/manifest.ts'

type Layout = RuntimeBody['artifactLayout']

/**
 * Where hosts were seen to read skills, agents and commands, for those whose manifests say less or something else. A scope
 * named here stands for the whole scope of the manifest.
 */
const OBSERVED: Readonly<Record<string, Partial<Layout>>> = {
  claude: {
    local: [item('skills', 'convertClaudeCommandToClaudeSkill'), item('agents', null)],
  },
  cline: {
    local: [item('skills', 'convertClaudeCommandToClineSkill'), item('agents', 'convertClaudeAgentToClineAgent')],
  },
  'kimi-code': {
    local: [item('skills', 'convertClaudeCommandToKimiCodeSkill'), item('agents', null)],
  },
  pi: {
    global: [item('skills', 'convertClaudeCommandToPiSkill')],
    local: [item('skills', 'convertClaudeCommandToPiSkill')],
  },
}

function item(kind: LayoutItem['kind'], converter: string | null): LayoutItem {
  return { kind, destSubpath: kind, prefix: 'gsd-', nesting: 'flat', converter }
}

/** The descriptor of a host, with the folders it was seen to read. */
export const withObservedLayout = (id: string, body: RuntimeBody): RuntimeBody => {
  const observed = Object.hasOwn(OBSERVED, id) ? OBSERVED[id] : undefined
  return observed === undefined ? body : { ...body, artifactLayout: { ...body.artifactLayout, ...observed } }
}

import { GsdError } from '../../errors.ts'
import { manifestOf } from './installed-manifest.ts'
import type { Installed } from './installed.ts'

/** Whether anything of an installed capability is to stand in a host. What cannot be read is taken to. */
export const bringsToHosts = (installed: Installed): boolean => {
  try {
    const manifest = manifestOf(installed)
    if (manifest.role !== 'feature') return false
    const { hooks = [], mcpServers = {}, skills, agents } = manifest
    const paths = installed.tree?.files.map(({ path }) => path) ?? []
    return (
      hooks.length + Object.keys(mcpServers).length > 0 ||
      skills.some((stem) => paths.includes(`skills/${stem}/SKILL.md`) || paths.includes(`skills/${stem}.md`)) ||
      agents.some((stem) => paths.includes(`agents/${stem}.md`))
    )
  } catch (error) {
    if (error instanceof GsdError) return true
    throw error
  }
}

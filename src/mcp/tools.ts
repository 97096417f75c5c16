import { listCapabilitiesTool, inspectCapabilityTool } from './capability-tools.ts'
import { renderPointTool } from './loop-tool.ts'
import { searchTool } from './search-tool.ts'
import { getSkillTool, listFilesTool, readFileTool } from './skill-tools.ts'
import { composeTool, verifyTool } from './stack-tools.ts'
import type { Tool } from './tool.ts'

/** Every tool of the server, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  getSkillTool,
  listFilesTool,
  readFileTool,
  listCapabilitiesTool,
  inspectCapabilityTool,
  renderPointTool,
  composeTool,
  verifyTool,
]

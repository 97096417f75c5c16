import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const GSD = join(import.meta.dirname, '../../bin/gsd.js')
const REAL_INDEX = join(import.meta.dirname, '../../fixtures/skills/skills_index.json')
const MENTIONED = ['brainstorming', 'code-review-checklist', '2d-games', 'receiving-code-review', 'aws-security-audit']
const PATHS = { '2d-games': 'game-development/2d-games', 'aws-security-audit': 'security/aws-security-audit' }

/** A root with the real index and the bodies of five skills. @param {import('./rows.js').Place} place */
const writeRoot = ({ root }) => {
  const folder = join(root, 'skills-root')
  mkdirSync(folder)
  copyFileSync(REAL_INDEX, join(folder, 'skills_index.json'))
  for (const id of MENTIONED) {
    const path = join(folder, 'skills', /** @type {Record<string, string>} */ (PATHS)[id] ?? id)
    mkdirSync(path, { recursive: true })
    writeFileSync(
      join(path, 'SKILL.md'),
      `---\nname: ${id}\ndescription: x\n---\n\n${'Some words of advice.\n'.repeat(300)}`,
    )
  }
  return folder
}

const MESSAGE = `use ${MENTIONED.map((id) => `@${id}`).join(' and ')}`

/** @param {boolean} isFirst @returns {import('./rows.js').Row['prepare']} */
const resolve = (isFirst) => (place) => {
  const argv = [process.execPath, GSD, 'skills', 'resolve', '--skills-root', writeRoot(place), '--message', MESSAGE]
  const before = () => rmSync(join(place.root, 'cache'), { recursive: true, force: true })
  return { command: isFirst ? { argv, before } : { argv } }
}

/** @param {number} id @param {string} method @param {unknown} params */
const line = (id, method, params) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const HELLO = line(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1.0.0' },
})
const SEARCH = line(2, 'tools/call', { name: 'search_skills', arguments: { query: 'code review' } })

/** A whole session, from the start of the process to its end. @param {string} input @returns {import('./rows.js').Row['prepare']} */
const session = (input) => (place) => ({
  command: { argv: [process.execPath, GSD, 'mcp', '--skills-root', writeRoot(place)], input },
})

/** @type {readonly import('./rows.js').Row[]} */
export const SKILLS_ROWS = [
  { work: 'skills resolve, 5 bodies, first', budget: 2.2, base: 'bare node', prepare: resolve(true) },
  { work: 'skills resolve, 5 bodies, again', budget: 1.7, base: 'bare node', prepare: resolve(false) },
  { work: 'gsd mcp, initialize', budget: 2.5, base: 'bare node', prepare: session(HELLO) },
  { work: 'gsd mcp, first search', budget: 4, memory: 100, base: 'bare node', prepare: session(HELLO + SEARCH) },
]

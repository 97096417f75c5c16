import type { Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { verifyCatalog } from '../skills/bodies/make-lock.ts'
import type { SkillsIndex } from '../skills/index/skills-index.ts'
import { composeStack } from '../skills/stack/check-stack.ts'
import { parsePolicy } from '../skills/stack/stack-policy.ts'
import { pageOf } from './page.ts'
import { FINDING, LIST_MEMBERS, stringList } from './schemas.ts'
import { LARGEST_DATA, type Tool } from './tool.ts'

const STRINGS = { type: 'array', items: { type: 'string' } } as const
const POLICY = {
  type: 'object',
  properties: { allow_risk: STRINGS, deny_risk: STRINGS, allow_source: STRINGS, deny_source: STRINGS },
  additionalProperties: false,
} as const

export const composeTool: Tool = {
  name: 'compose_stack',
  title: 'Compose a stack of skills',
  description:
    'Checks chosen ids, exactly, against a policy by risk and source, and returns a stack manifest with the sha512 of each skill. Nothing is written.',
  input: {
    type: 'object',
    properties: {
      ids: { ...STRINGS, maxItems: 100, description: 'Exact ids.' },
      policy: { ...POLICY, description: 'Absent lists allow everything; a source may end in *.' },
    },
    required: ['ids'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      allowed: { type: 'boolean', description: 'Whether every id is in the stack.' },
      stack: { type: 'object', properties: {}, additionalProperties: true },
      findings: { type: 'array', items: FINDING },
      truncated: { type: 'boolean', description: 'Whether findings were left out.' },
    },
    required: ['allowed', 'stack', 'findings', 'truncated'],
    additionalProperties: false,
  },
  async run(session, args) {
    const catalogs = await session.catalogs()
    const policy = parsePolicy(args['policy'] ?? {})
    if (typeof policy === 'string') throw new GsdError('USAGE_BAD_VALUE', `the call ${policy}`)
    const ids = stringList(args['ids']) ?? []
    const { stack, findings } = composeStack(ownerOf(catalogs.indexes, ids), ids, policy)
    const { items, truncated } = pageOf(findings, { cursor: null, limit: 100, bytes: LARGEST_DATA / 4 })
    const text =
      findings.length === 0
        ? `A stack of ${stack.skills.length} skills.`
        : `${findings.length} of ${ids.length} skills may not be in the stack.`
    return { data: { allowed: findings.length === 0, stack, findings: items.map(findingRow), truncated }, text }
  },
}

/** A stack is of one catalog: the first that has the first id. */
const ownerOf = (indexes: readonly SkillsIndex[], ids: readonly string[]): SkillsIndex => {
  const owner = indexes.find((index) => index.get(ids[0] ?? '') !== undefined) ?? indexes[0]
  if (owner !== undefined) return owner
  throw new GsdError('STATE_NO_SKILLS_INDEX', 'there is no catalog', { hint: 'gsd mcp --skills-root <dir>' })
}

export const verifyTool: Tool = {
  name: 'verify_catalog',
  title: 'Verify the catalog',
  description: 'Compares the index and every skill with the lock. A catalog without a lock is not verified.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  output: {
    type: 'object',
    properties: {
      verified: { type: 'boolean' },
      locked: { type: 'boolean', description: 'Whether every catalog has a lock.' },
      skills: { type: 'integer', description: 'Skills that were compared.' },
      changed: { ...STRINGS, description: 'Ids that are not as they were locked.' },
      findings: { type: 'array', items: FINDING },
      ...LIST_MEMBERS,
    },
    required: ['verified', 'locked', 'skills', 'changed', 'findings', 'total', 'truncated'],
    additionalProperties: false,
  },
  async run(session) {
    const roots = await session.lockedRoots()
    const reports = await Promise.all(roots.map(verifyCatalog))
    const all = reports.flatMap(({ findings }) => findings)
    const { items, total, truncated } = pageOf(all, { cursor: null, limit: 200, bytes: LARGEST_DATA / 2 })
    const verified = reports.length > 0 && reports.every((report) => report.verified)
    return {
      data: {
        verified,
        locked: reports.length > 0 && reports.every(({ locked }) => locked),
        skills: reports.reduce((sum, { skills }) => sum + skills, 0),
        changed: items.flatMap(({ id, code }) => (id === undefined || code !== 'INTEGRITY_SKILL_CHANGED' ? [] : [id])),
        findings: items.map(findingRow),
        total,
        truncated,
      },
      text: verified ? 'The catalog is as it was locked.' : 'The catalog is not verified.',
    }
  },
}

const findingRow = ({ code, severity, message, id, hint }: Diagnostic): Readonly<Record<string, unknown>> => ({
  code,
  severity,
  message,
  ...(id === undefined ? {} : { id }),
  ...(hint === undefined ? {} : { hint }),
})

import { CENTRAL_KEYS, isCentralKey } from '../central-keys.ts'
import { isConfigKeyReference, COMMAND_REF } from '../grammar.ts'
import type { UnknownRecord } from '../json/object.ts'
import { LOOP } from '../loop-contract.ts'
import { eachObject, objectOf, stringsOf, type Relation, type Relations } from './relation.ts'

/** Rule 18: a step uses a skill or agent of its own capability. */
const checkStepRef =
  (kind: 'skill' | 'agent', member: 'skills' | 'agents'): Relation =>
  (manifest, findings) => {
    const own = manifest[member]
    eachObject(manifest['steps'], ({ ref }, index) => {
      const stem = objectOf(ref)[kind]
      if (typeof stem !== 'string' || stem.trim() === '' || (Array.isArray(own) && own.includes(stem))) return
      findings.reportAt(['steps', index, 'ref', kind], 'MANIFEST_REF_UNOWNED', stem, { detail: member })
    })
  }

/** Rule 18: a command has a family of this capability; when it requires others, the merged set decides. */
const checkCommandRef: Relation = ({ steps, commands, requires }, findings) => {
  const families = new Map<unknown, UnknownRecord>()
  eachObject(commands, (item) => families.set(item['family'], item))
  const alone = Array.isArray(requires) && requires.length === 0
  eachObject(steps, ({ ref }, index) => {
    const { command } = objectOf(ref)
    if (typeof command !== 'string' || !COMMAND_REF.test(command)) return
    const path = ['steps', index, 'ref', 'command']
    const [family = '', ...words] = command.split(' ')
    const own = families.get(family)
    if (own === undefined && alone) findings.reportAt(path, 'MANIFEST_REF_FAMILY', family)
    if (own === undefined) return
    const unlisted = findUnlistedSubcommand(words, own)
    if (unlisted !== null) {
      findings.reportAt(path, 'MANIFEST_REF_SUBCOMMAND', unlisted, { detail: stringsOf(own['subcommands']).join(', ') })
    }
  })
}

/** Rule 18: the first word that the family does not list; null when it lists all, or has no list. */
export const findUnlistedSubcommand = (words: readonly string[], family: UnknownRecord): string | null => {
  if (!Array.isArray(family['subcommands']) || words.length === 0) return null
  const listed = new Set(stringsOf(family['subcommands']))
  return words.find((word) => !listed.has(word)) ?? null
}

/** Rule 19: a contribution goes to a role of its point. */
const checkContributionRole: Relation = ({ contributions }, findings) =>
  eachObject(contributions, ({ point, into }, index) => {
    const roles = typeof point === 'string' ? LOOP.points.get(point)?.roles : undefined
    if (roles === undefined || typeof into !== 'string' || roles.includes(into)) return
    findings.reportAt(['contributions', index, 'into'], 'MANIFEST_INTO', into, {
      detail: roles.map((role) => JSON.stringify(role)).join(' or '),
    })
  })

/** Rule 20: only a repeatable verdict may block. */
const checkVerdictGates: Relation = ({ gates }, findings) =>
  eachObject(gates, ({ check, blocking }, index) => {
    if (blocking === true && Object.hasOwn(objectOf(check), 'agentVerdict')) {
      findings.reportAt(['gates', index, 'blocking'], 'MANIFEST_AGENT_VERDICT_BLOCKING', true)
    }
  })

/** Rule 22. */
const checkWhenKey =
  (member: 'steps' | 'contributions' | 'gates'): Relation =>
  (manifest, findings) => {
    const own = objectOf(manifest['config'])
    eachObject(manifest[member], ({ when }, index) => {
      if (typeof when !== 'string' || Object.hasOwn(own, when) || isCentralKey(when) || !isConfigKeyReference(when))
        return
      findings.reportAt([member, index, 'when'], 'MANIFEST_WHEN_UNDECLARED', when, { known: knownKeys(own) })
    })
  }

/** Rule 41a: the key that chooses between the points of a step is an enum of its own that contains this point. */
const checkPointFrom: Relation = (manifest, findings) => {
  const own = objectOf(manifest['config'])
  eachObject(manifest['steps'], ({ point, pointFrom }, index) => {
    if (typeof pointFrom !== 'string' || !isConfigKeyReference(pointFrom) || typeof point !== 'string') return
    const { type, values } = objectOf(Object.hasOwn(own, pointFrom) ? own[pointFrom] : undefined)
    if (type === 'enum' && Array.isArray(values) && values.includes(point)) return
    findings.reportAt(['steps', index, 'pointFrom'], 'MANIFEST_POINT_FROM_KEY', pointFrom, { detail: point })
  })
}

/** Keys to suggest for an unknown one. */
export const knownKeys = (config: UnknownRecord): string[] => [...Object.keys(config), ...CENTRAL_KEYS.keys()]

export const LOOP_RELATIONS: Relations = [
  ['steps', checkStepRef('skill', 'skills')],
  ['steps', checkStepRef('agent', 'agents')],
  ['steps', checkCommandRef],
  ['steps', checkPointFrom],
  ['contributions', checkContributionRole],
  ['gates', checkVerdictGates],
  ['steps', checkWhenKey('steps')],
  ['contributions', checkWhenKey('contributions')],
  ['gates', checkWhenKey('gates')],
]

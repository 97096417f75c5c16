import { isCentralKey } from '../central-keys.ts'
import { isConfigKeyReference } from '../grammar.ts'
import { HANDLERS } from '../schema/reviewer.ts'
import { knownKeys } from './loop.ts'
import { eachDuplicate, eachString, objectOf, type Relation, type Relations } from './relation.ts'

/** Rule 36. */
const checkDuplicateFlags: Relation = ({ reviewer }, findings) =>
  eachDuplicate(objectOf(reviewer)['flags'], (text, index) =>
    findings.reportAt(['reviewer', 'flags', index], 'MANIFEST_LANE_FLAG_DUPLICATE', text),
  )

/** Rule 37: an output file needs an argument that names it, and nothing else has one. */
const checkOutputArg: Relation = ({ reviewer }, findings) => {
  const { transport, invoke } = objectOf(reviewer)
  const { outputChannel, ...rest } = objectOf(invoke)
  if (transport !== 'spawn') return
  const given = Object.hasOwn(rest, 'outputArg')
  if (outputChannel === 'file-arg' && !given) {
    findings.reportMissingAt(['reviewer', 'invoke'], 'MANIFEST_LANE_OUTPUT_ARG', 'outputArg')
  }
  if (outputChannel === 'stdout' && given) {
    findings.reportAt(['reviewer', 'invoke', 'outputArg'], 'MANIFEST_LANE_OUTPUT_ARG', rest['outputArg'], {
      detail: 'reviewer.invoke.outputArg is allowed only with "outputChannel": "file-arg"',
    })
  }
}

const PLACEHOLDER = /^\{\{(?:model|effort|output|prompt|nativeTimeout)\}\}$/

/** Rule 38. */
const checkPlaceholders: Relation = ({ reviewer }, findings) => {
  const { transport, invoke } = objectOf(reviewer)
  if (transport !== 'spawn') return
  eachString(objectOf(invoke)['args'], (text, index) => {
    if (!text.includes('{{') || PLACEHOLDER.test(text)) return
    findings.reportAt(['reviewer', 'invoke', 'args', index], 'MANIFEST_LANE_PLACEHOLDER', text)
  })
}

/** Rule 40: keys that the lane reads exist. */
const checkLaneKeys: Relation = ({ reviewer, config }, findings) => {
  const own = objectOf(config)
  for (const member of ['promptBudgetKey', 'modelConfigKey', 'timeoutConfigKey', 'effortConfigKey'] as const) {
    const key = objectOf(reviewer)[member]
    if (typeof key !== 'string' || !isConfigKeyReference(key) || Object.hasOwn(own, key) || isCentralKey(key)) continue
    findings.reportAt(['reviewer', member], 'MANIFEST_LANE_CONFIG_KEY_UNDECLARED', key, { known: knownKeys(own) })
  }
}

/** Rule 40: at load an unknown handler disables the lane, not the capability. */
const checkHandler: Relation = ({ reviewer }, findings, { forLoading }) => {
  const { handler } = objectOf(reviewer)
  if (typeof handler !== 'string' || handler.trim() === '' || HANDLERS.has(handler)) return
  findings.reportAt(
    ['reviewer', 'handler'],
    'MANIFEST_LANE_HANDLER_UNKNOWN',
    handler,
    forLoading ? { severity: 'warning' } : {},
  )
}

export const REVIEWER_RELATIONS: Relations = [
  ['reviewer', checkDuplicateFlags],
  ['reviewer', checkOutputArg],
  ['reviewer', checkPlaceholders],
  ['reviewer', checkLaneKeys],
  ['reviewer', checkHandler],
]

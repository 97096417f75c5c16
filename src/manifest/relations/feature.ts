import { parentsOf } from '../central-keys.ts'
import { isConfigKeyReference } from '../grammar.ts'
import { eachDuplicate, eachString, objectOf, stringsOf, type Relation, type Relations } from './relation.ts'

/** Rule 13: no other entries next to `*`. */
const checkWildcard: Relation = ({ runtimeCompat }, findings) => {
  const { supported } = objectOf(runtimeCompat)
  if (!Array.isArray(supported) || supported.length < 2) return
  const wildcard = supported.indexOf('*')
  if (wildcard === -1) return
  findings.reportAt(['runtimeCompat', 'supported', wildcard], 'MANIFEST_RUNTIME_COMPAT_WILDCARD', supported)
}

/** Rule 13. */
const checkSupportConflicts: Relation = ({ runtimeCompat }, findings) => {
  const { supported, unsupported } = objectOf(runtimeCompat)
  if (!Array.isArray(unsupported) || unsupported.length === 0) return
  const supportedIds = new Set(stringsOf(supported))
  eachString(unsupported, (text, index) => {
    if (text !== '*' && supportedIds.has(text)) {
      findings.reportAt(['runtimeCompat', 'unsupported', index], 'MANIFEST_RUNTIME_COMPAT_BOTH', text)
    }
  })
}

/** Rule 14. */
const checkDuplicateSkills: Relation = ({ skills }, findings) =>
  eachDuplicate(skills, (text, index) => findings.reportAt(['skills', index], 'MANIFEST_STEM_DUPLICATE', text))

/** Rule 14. */
const checkDuplicateAgents: Relation = ({ agents }, findings) =>
  eachDuplicate(agents, (text, index) => findings.reportAt(['agents', index], 'MANIFEST_STEM_DUPLICATE', text))

/** Rule 23. */
const checkActivationKey: Relation = ({ activationKey, config }, findings) => {
  if (typeof activationKey !== 'string' || !isConfigKeyReference(activationKey)) return
  const own = objectOf(config)
  if (!Object.hasOwn(own, activationKey)) {
    findings.reportAt(['activationKey'], 'MANIFEST_ACTIVATION_KEY_UNDECLARED', activationKey, {
      known: Object.keys(own),
    })
  }
}

/** Rule 16: no key is the parent of another. */
export const checkKeyPrefixes: Relation = ({ config }, findings) => {
  const own = objectOf(config)
  const keys = Object.keys(own)
  if (keys.length < 2) return
  for (const key of keys) {
    for (const parent of parentsOf(key)) {
      if (!Object.hasOwn(own, parent)) continue
      findings.reportAt(['config', parent], 'MANIFEST_CONFIG_PREFIX', parent, {
        part: 'key',
        detail: JSON.stringify(key),
      })
    }
  }
}

/** Rule 16: the values of an enum are unique and include its default. */
export const checkEnumValues: Relation = ({ config }, findings) => {
  const entries = objectOf(config)
  for (const key of Object.keys(entries)) {
    const { type, default: standard, values } = objectOf(entries[key])
    if (type !== 'enum') continue
    const listed = stringsOf(values)
    eachDuplicate(values, (text, index) =>
      findings.reportAt(['config', key, 'values', index], 'MANIFEST_CONFIG_VALUE_DUPLICATE', text),
    )
    if (typeof standard !== 'string' || listed.length === 0 || listed.includes(standard)) continue
    const detail = `one of its values ${listed.map((text) => JSON.stringify(text)).join(', ')}`
    findings.reportAt(['config', key, 'default'], 'MANIFEST_CONFIG_DEFAULT', standard, { detail })
  }
}

export const FEATURE_RELATIONS: Relations = [
  ['runtimeCompat', checkWildcard],
  ['runtimeCompat', checkSupportConflicts],
  ['skills', checkDuplicateSkills],
  ['agents', checkDuplicateAgents],
  ['activationKey', checkActivationKey],
]

/** For every role that may have a `config`. */
export const CONFIG_RELATIONS: Relations = [
  ['config', checkKeyPrefixes],
  ['config', checkEnumValues],
]

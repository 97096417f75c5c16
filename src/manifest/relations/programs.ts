import { RESERVED_FAMILIES } from '../rules/programs.ts'
import { eachObject, type Relation, type Relations } from './relation.ts'

const reservedFamilies: ReadonlySet<unknown> = new Set(RESERVED_FAMILIES)

/** Rule 24: a family is not a word of the program. */
const checkReservedFamily: Relation = ({ commands }, findings) =>
  eachObject(commands, ({ family }, index) => {
    if (reservedFamilies.has(family))
      findings.reportAt(['commands', index, 'family'], 'MANIFEST_COMMAND_FAMILY_RESERVED', family)
  })

/** Rule 24: a family has one module. */
const checkDuplicateFamilies: Relation = ({ commands }, findings) => {
  const seen = new Set<unknown>()
  eachObject(commands, ({ family }, index) => {
    if (seen.has(family)) findings.reportAt(['commands', index, 'family'], 'MANIFEST_COMMAND_FAMILY_DUPLICATE', family)
    if (typeof family === 'string') seen.add(family)
  })
}

export const PROGRAM_RELATIONS: Relations = [
  ['commands', checkReservedFamily],
  ['commands', checkDuplicateFamilies],
]

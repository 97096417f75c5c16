import parse from 'spdx-expression-parse'
import { WINDOWS_DEVICE } from '../grammar.ts'
import { isForbiddenKey } from '../json/object.ts'
import { eachDuplicate, eachString, type Relation, type Relations } from './relation.ts'

/** Rule 1. */
const checkDeviceName: Relation = ({ id }, findings) => {
  if (typeof id === 'string' && WINDOWS_DEVICE.test(id)) findings.reportAt(['id'], 'MANIFEST_ID_DEVICE_NAME', id)
}

/** Ids are used for look-ups (manifest page, "Reading"). */
const checkForbiddenId: Relation = ({ id }, findings) => {
  if (typeof id === 'string' && isForbiddenKey(id)) findings.reportAt(['id'], 'MANIFEST_FORBIDDEN_KEY', id)
}

/** Rule 1. */
const checkFolderName: Relation = ({ id }, findings, { folder }) => {
  if (typeof id === 'string' && typeof folder === 'string' && id !== folder) {
    findings.reportAt(['id'], 'MANIFEST_ID_FOLDER', id, { detail: JSON.stringify(folder) })
  }
}

/** Rule 12. */
const checkReservedId: Relation = ({ id }, findings, { firstParty }) => {
  if (firstParty || typeof id !== 'string') return
  if (id.startsWith('gsd-') || id.startsWith('anthropic-')) findings.reportAt(['id'], 'MANIFEST_ID_RESERVED', id)
}

/** Rule 6. */
const checkSelfRequirement: Relation = ({ id, requires }, findings) => {
  eachString(requires, (text, index) => {
    if (text === id) findings.reportAt(['requires', index], 'MANIFEST_REQUIRES_SELF', text)
  })
}

/** Rule 6. */
const checkDuplicateRequirements: Relation = ({ requires }, findings) =>
  eachDuplicate(requires, (text, index) => findings.reportAt(['requires', index], 'MANIFEST_REQUIRES_DUPLICATE', text))

/** Rule 10. */
const checkLicense: Relation = ({ license }, findings) => {
  if (typeof license !== 'string' || license.trim() === '' || COMMON_LICENSES.has(license)) return
  if (!isSpdx(license)) findings.reportAt(['license'], 'MANIFEST_LICENSE_NOT_SPDX', license)
}

const isSpdx = (text: string): boolean => {
  // The parser takes quadratic time, and no licence is that long.
  if (text.length > MAX_LICENSE_LENGTH) return false
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

const MAX_LICENSE_LENGTH = 1000

/** Avoids the parser in nearly every case. */
const COMMON_LICENSES: ReadonlySet<string> = new Set(['MIT', 'Apache-2.0', 'ISC', 'BSD-3-Clause', 'BSD-2-Clause'])

export const ENVELOPE_RELATIONS: Relations = [
  ['id', checkDeviceName],
  ['id', checkForbiddenId],
  ['id', checkFolderName],
  ['id', checkReservedId],
  ['requires', checkSelfRequirement],
  ['requires', checkDuplicateRequirements],
  ['license', checkLicense],
]

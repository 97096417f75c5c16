import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import { ownMember, type ReadConfigFile } from './config-file.ts'

/** Number in the member `schema` of the files that this version understands; a file may leave it out. */
const KNOWN = 1

/** A newer or senseless `schema` makes a file unreadable: what its members mean is not known here. Null: it can be read. */
export const newerSchema = (file: ReadConfigFile): Diagnostic | null => {
  const schema = ownMember(file.root, 'schema')
  if (schema === undefined || schema === KNOWN) return null
  const newer = typeof schema === 'number' && schema > KNOWN
  return diagnostic(
    'warning',
    newer ? 'STATE_NEWER_SCHEMA' : 'STATE_CONFIG_INVALID',
    `${quote(file.file)} has the schema ${quote(schema)}, and this version reads ${KNOWN}`,
    {
      file: file.file,
      ...file.locate('/schema'),
      path: '/schema',
      hint: newer ? 'use the newer version of gsd' : `write "schema": ${KNOWN}`,
    },
  )
}

import { join } from 'node:path'
import type { Diagnostic } from '../../diagnostic.ts'
import { type UnknownRecord } from '../../manifest/json/object.ts'
import { readConfigFile, type ConfigFile } from './config-file.ts'

/** The project's configuration, `<project>/.planning/config.json`. It may come from a repository: it grants nothing. */
export interface ProjectConfig {
  readonly file: ConfigFile
  /** Empty where the file is absent or unreadable. */
  readonly values: UnknownRecord
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the project's configuration. Never throws. */
export const readProjectConfig = (projectRoot: string): ProjectConfig => {
  const file = readConfigFile(join(projectRoot, '.planning', 'config.json'), {
    name: "project's configuration",
    code: 'STATE_UNREADABLE',
  })
  return {
    file,
    values: file.state === 'ok' ? file.root : {},
    diagnostics: file.state === 'unreadable' ? [file.diagnostic] : [],
  }
}

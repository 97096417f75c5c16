import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { GsdError } from '../../errors.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import { hookCommand } from './hook-command.ts'
import type { HookFile } from './host-hooks.ts'

/** Hook scripts of a bundle that no host could run, each as an error (hosts page, "Hook commands"). */
export const checkHookScripts = (manifest: Manifest, files: readonly HookFile[]): Diagnostic[] => {
  if (manifest.role !== 'feature') return []
  return (manifest.hooks ?? []).flatMap(({ script }, index) => {
    const file = files.find(({ path }) => path === script)
    const fault = file === undefined ? null : findScriptError(file)
    if (fault === null) return []
    const { code, message, hint = '' } = fault
    return [diagnostic('error', code, message, { id: manifest.id, path: `/hooks/${index}/script`, hint })]
  })
}

const findScriptError = ({ path, shebang, crlf }: HookFile): GsdError | null => {
  if (crlf) {
    return new GsdError(
      'HOST_SCRIPT',
      `the first line of ${quote(path)} ends in CR LF, and no system runs such a script`,
      {
        hint: 'save it with LF line ends; "*.sh text eol=lf" in .gitattributes keeps git from changing them',
      },
    )
  }
  try {
    hookCommand({ path, shebang })
    return null
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
}

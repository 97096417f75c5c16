import { posix, win32 } from 'node:path'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

/** A hook's script where it is installed. */
export interface HookScript {
  /** Absolute. */
  readonly path: string
  /** It begins with `#!`. */
  readonly shebang: boolean
}

/** Extension → interpreter, for scripts without a shebang. */
const INTERPRETERS: ReadonlyMap<string, string> = new Map([
  ['.js', 'node'],
  ['.cjs', 'node'],
  ['.mjs', 'node'],
  ['.sh', 'sh'],
  ['.py', 'python3'],
])

/**
 * The command line for `sh -c` that runs a script from any folder (hosts page, "Hook commands"): the absolute path in
 * single quotes, alone where the script has a shebang, else after its interpreter.
 * @throws HOST_SCRIPT for a script without shebang whose extension names no interpreter.
 */
export const hookCommand = ({ path, shebang }: HookScript): string =>
  shebang ? quotePosix(path) : `${requireInterpreter(path, posix.extname(path))} ${quotePosix(path)}`

/**
 * The command for a host that takes a path, not a command line. A path that a shell reads as it stands goes bare; any
 * other is quoted, for a host that hands it to a shell after all.
 * @throws HOST_SCRIPT for a script without shebang, for a path cannot name an interpreter.
 */
export const hookPath = ({ path, shebang }: HookScript): string => {
  if (!shebang) {
    throw new GsdError(
      'HOST_SCRIPT',
      `${quote(path)} has no first line with #!, and this host runs a script by its path alone`,
      {
        hint: 'begin the script with a line such as #!/bin/sh',
      },
    )
  }
  return /^[A-Za-z0-9._/-]+$/.test(path) ? path : quotePosix(path)
}

/**
 * The same for cmd.exe, which has no shebang: the interpreter by extension, batch files and programs bare. Inside double
 * quotes only `%` still means something there.
 * @throws HOST_SCRIPT for an extension that names no interpreter, and for a path with a quote, a `%` or a control character.
 */
export const windowsHookCommand = ({ path }: Pick<HookScript, 'path'>): string => {
  if (/["%\u0000-\u001f]/.test(path)) {
    throw new GsdError('HOST_SCRIPT', `${quote(path)} cannot be quoted for cmd.exe`, {
      hint: 'install in a folder without % in its path',
    })
  }
  const extension = win32.extname(path).toLowerCase()
  const bare = ['.cmd', '.bat', '.exe', '.com'].includes(extension)
  const program = bare ? null : requireInterpreter(path, extension)
  const quoted = `"${win32.normalize(path)}"`
  return program === null ? quoted : `${program === 'python3' ? 'python' : program} ${quoted}`
}

/** POSIX single quotes: nothing inside means anything to the shell. */
export const quotePosix = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The program that reads a script, by its extension; null where none is known. */
export const interpreterFor = (path: string): string | null => INTERPRETERS.get(posix.extname(path)) ?? null

const requireInterpreter = (path: string, extension: string): string => {
  const found = INTERPRETERS.get(extension)
  if (found !== undefined) return found
  throw new GsdError('HOST_SCRIPT', `no interpreter is known for ${quote(path)}`, {
    hint: `begin the script with a #! line, or name it ${[...INTERPRETERS.keys()].join(', ')}`,
  })
}

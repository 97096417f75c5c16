/**
 * Whether a command line names this file: as written, after the shell has removed its quotes, or with the folder of
 * its `.gsd` written as `~` or a variable. A longer path that only begins or ends with it does not count, so one
 * capability's script is never taken for another's.
 */
export const mentionsPath = (command: string, path: string): boolean =>
  [command, removeQuotes(command)].some((text) => containsWholePath(text, path) || containsBelowVariable(text, path))

/** `$HOME/.gsd/capabilities/…`, as somebody writes it who shares settings between machines. */
const containsBelowVariable = (text: string, path: string): boolean => {
  const below = path.indexOf(CAPABILITIES_FOLDER)
  if (below === -1) return false
  const variables = text.match(/~(?=\/)|\$\w+(?=\/)|\$\{\w+\}(?=\/)/g) ?? []
  return variables.some((variable) => containsWholePath(text, variable + path.slice(below)))
}

const CAPABILITIES_FOLDER = '/.gsd/capabilities/'

const PATH_CHARACTER = /[\p{L}\p{N}._/\\-]/u

const containsWholePath = (text: string, path: string): boolean => {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + path.length)
    if (!PATH_CHARACTER.test(before) && !PATH_CHARACTER.test(after)) return true
  }
  return false
}

/** What a POSIX shell makes of the quoting of a command line; words stay separated as they were. */
const removeQuotes = (command: string): string =>
  command.replace(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_all, single?: string, double?: string, escaped?: string) =>
      single ?? (double === undefined ? (escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1')),
  )

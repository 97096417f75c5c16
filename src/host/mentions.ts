/**
 * Whether a command line names this file: as it stands, or once the shell has taken its quotes away. A longer path that
 * only begins or ends with it does not count, so one capability's script is never taken for another's.
 */
export const mentionsPath = (command: string, path: string): boolean =>
  holdsWhole(command, path) || holdsWhole(withoutQuotes(command), path)

const PART_OF_A_PATH = /[\p{L}\p{N}._/\\-]/u

const holdsWhole = (text: string, path: string): boolean => {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const before = text.charAt(at - 1)
    const after = text.charAt(at + path.length)
    if (!PART_OF_A_PATH.test(before) && !PART_OF_A_PATH.test(after)) return true
  }
  return false
}

/** What a POSIX shell makes of the quoting of a command line; words stay separated as they were. */
const withoutQuotes = (command: string): string =>
  command.replace(
    /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])/g,
    (_all, single?: string, double?: string, escaped?: string) =>
      single ?? (double === undefined ? (escaped ?? '') : double.replace(/\\(["\\$`])/g, '$1')),
  )

/**
 * What a small command of the system prints, trimmed; null when it is not there, fails or prints nothing. The module for
 * child processes is loaded here, on demand, because most runs never need it.
 */
export const outputOf = (command: string, args: readonly string[]): string | null => {
  try {
    const { execFileSync } = process.getBuiltinModule('node:child_process')
    const text = execFileSync(command, [...args], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
    }).trim()
    return text === '' ? null : text
  } catch {
    return null
  }
}

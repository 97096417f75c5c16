import { readFileSync } from 'node:fs'

/** What the system says of a pid. `unseen`: nothing; there may be no such process, or it is hidden from us. */
export type ProcessState =
  | { readonly state: 'running'; readonly start: string }
  | { readonly state: 'ended' }
  | { readonly state: 'unseen' }

/** Looks a process up, with its start as the system counts it: two processes that had one pid differ in it. */
export const inspectProcess = (pid: number): ProcessState => {
  if (process.platform !== 'linux') return parsePs(commandOutput('ps', [...PS_ARGUMENTS, String(pid)]) ?? '')
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return { state: 'unseen' }
  }
}

/** Each column by an option of its own: behind `=` BSD takes the rest of the word for a heading. */
const PS_ARGUMENTS = ['-o', 'stat=', '-o', 'lstart=', '-p'] as const

/**
 * Field 22 of `/proc/<pid>/stat`, in clock ticks since the machine started. The second field is the program's name in
 * brackets and may itself hold blanks and brackets, so fields are counted from the last closing one.
 */
export const parseProcStat = (text: string): ProcessState => {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/)
  return processState(fields[0], fields[19])
}

/** `Ss   Mon Jan  1 00:00:00 2001`: state, then the start in words. */
export const parsePs = (text: string): ProcessState => {
  const [state, ...start] = text.trim().split(/\s+/)
  return processState(state, start.join(' '))
}

/** A zombie, or a process being taken down, runs nothing any more, whatever its parent does. */
const processState = (state: string | undefined, start: string | undefined): ProcessState => {
  if (state === undefined || state === '' || start === undefined || start === '') return { state: 'unseen' }
  return /^[ZXx]/.test(state) ? { state: 'ended' } : { state: 'running', start }
}

/**
 * What a small command of the system prints, trimmed; null when it is not there, fails or prints nothing. The module for
 * child processes is loaded here, on demand, because most runs never need it.
 */
export const commandOutput = (command: string, args: readonly string[]): string | null => {
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

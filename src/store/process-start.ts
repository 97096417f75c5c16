import { readFileSync } from 'node:fs'
import { outputOf } from './system-command.ts'

/** What the system says of a pid. `unseen`: nothing; there may be no such process, or it is hidden from us. */
export type Seen =
  | { readonly state: 'running'; readonly start: string }
  | { readonly state: 'ended' }
  | { readonly state: 'unseen' }

/** Looks a process up, with its start as the system counts it: two processes that had one pid differ in it. */
export const lookUp = (pid: number): Seen => {
  if (process.platform !== 'linux') return parsePs(outputOf('ps', [...PS, String(pid)]) ?? '')
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return { state: 'unseen' }
  }
}

/** Each column by an option of its own: behind `=` BSD takes the rest of the word for a heading. */
const PS = ['-o', 'stat=', '-o', 'lstart=', '-p'] as const

/**
 * Field 22 of `/proc/<pid>/stat`, in clock ticks since the machine started. The second field is the program's name in
 * brackets and may itself hold blanks and brackets, so fields are counted from the last closing one.
 */
export const parseProcStat = (text: string): Seen => {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(/\s+/)
  return seen(fields[0], fields[19])
}

/** `Ss   Mon Jan  1 00:00:00 2001`: state, then the start in words. */
export const parsePs = (text: string): Seen => {
  const [state, ...start] = text.trim().split(/\s+/)
  return seen(state, start.join(' '))
}

/** A zombie, or a process being taken down, runs nothing any more, whatever its parent does. */
const seen = (state: string | undefined, start: string | undefined): Seen => {
  if (state === undefined || state === '' || start === undefined || start === '') return { state: 'unseen' }
  return /^[ZXx]/.test(state) ? { state: 'ended' } : { state: 'running', start }
}

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readTextFile } from '../platform/text-file.ts'
import { parseObject } from './read-answer.ts'

/** Folders below `~/.gemini` in which the editor and its command line keep one folder for each session. */
const BRAINS = ['antigravity-cli/brain', 'antigravity/brain'] as const
const TRANSCRIPT = '.system_generated/logs/transcript.jsonl'
const MAX_TRANSCRIPT = 8 * 1024 * 1024

type Env = Readonly<Record<string, string | undefined>>

/** The folders of the sessions that exist. */
export const listSessions = ({ HOME: home }: Env): readonly string[] =>
  home === undefined || home === ''
    ? []
    : BRAINS.flatMap((brain) => namesIn(join(home, '.gemini', brain)).map((name) => join(home, '.gemini', brain, name)))

/**
 * What the model said last in the session that began since `before` was listed. Empty where none began, or more than one:
 * another may belong to another window of the user.
 */
export const readNewSession = (before: readonly string[], env: Env): string => {
  const begun = listSessions(env).filter((session) => !before.includes(session))
  const [session] = begun
  if (session === undefined || begun.length > 1) return ''
  const found = readTextFile(join(session, TRANSCRIPT), MAX_TRANSCRIPT)
  if (found.state !== 'ok') return ''
  const said = found.text.split('\n').flatMap((line) => {
    const row = parseObject(line)
    return row?.['type'] === 'PLANNER_RESPONSE' && typeof row['content'] === 'string' ? [row['content']] : []
  })
  return said.findLast((text) => text.trim() !== '') ?? ''
}

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

import { stripVTControlCharacters } from 'node:util'
import { cleanText } from '../redact.ts'
import type { Lane } from './lane.ts'

/** What came of one lane. */
export interface LaneResult {
  readonly lane: Lane
  readonly state: 'reviewed' | 'failed' | 'unavailable'
  /** The review; empty unless it was reviewed. */
  readonly text: string
  /** Why there is no review, or null. */
  readonly reason: string | null
  /** The end of stderr, or of the body of a server, of a lane that failed. */
  readonly detail: string
  /** Exit status of a program that ended with another one than 0, else null. */
  readonly exitStatus: number | null
  /** Whether some of the output was dropped. */
  readonly truncated: boolean
  /** What was cut from its prompt. */
  readonly cut: readonly string[]
  readonly seconds: number
}

const MAX_DETAIL = 2000

/** Text of a program or a server, safe for a document and without the secrets of this environment. */
export const safeText = (text: string, env: Readonly<Record<string, string | undefined>>): string => {
  const plain = stripVTControlCharacters(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'))
  return cleanText(secretsOf(env).reduce((clean, secret) => clean.replaceAll(secret, '…'), plain))
}

/** The end of a text, for a stub. */
export const endOf = (text: string): string => (text.length > MAX_DETAIL ? `…${text.slice(-MAX_DETAIL)}` : text)

const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|AUTH)(?:_|$)/i
const MIN_SECRET = 8

const secretsOf = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(env)
    .flatMap(([name, value]) =>
      value !== undefined && value.length >= MIN_SECRET && SECRET_NAME.test(name) && !value.startsWith('/')
        ? [value]
        : [],
    )
    .sort((a, b) => b.length - a.length)

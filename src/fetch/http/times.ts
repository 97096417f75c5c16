/** Milliseconds that a fetch over http waits at most. */
export interface Times {
  /** For the line: name, connection, encryption, proxy. */
  readonly connect: number
  /** Between two pieces of an answer, and for its first. */
  readonly idle: number
  /** For everything. */
  readonly total: number
}

export const TIMES: Times = { connect: 15_000, idle: 20_000, total: 30 * 60_000 }

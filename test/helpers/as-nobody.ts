const NOBODY = 65_534

/**
 * Runs a call as a user without special rights. Root ignores file modes, so it drops its rights during the call;
 * everyone else is such a user already. The call must be finished when it returns.
 */
export const asNobody = <T>(call: () => T): T => {
  if (process.geteuid?.() !== 0) return call()
  process.setegid?.(NOBODY)
  process.seteuid?.(NOBODY)
  try {
    return call()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

/**
 * Runs work on every item, at most `limit` at a time, and gives the results in the order of the items. When one fails, no
 * further one is started, and the first failure is thrown after all that were running have ended.
 */
export const inOrder = async <T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = []
  const failures: unknown[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length && failures.length === 0) {
      const at = next++
      try {
        results[at] = await work(items[at] as T)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  if (failures.length > 0) throw failures[0]
  return results
}

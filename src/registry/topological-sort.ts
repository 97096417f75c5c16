/** A node comes after all nodes that produce something it consumes. */
export interface SortNode {
  readonly produces: readonly string[]
  readonly consumes: readonly string[]
}

/**
 * Sorts nodes (as indices) so that producers of a name come before its consumers; of the nodes that are ready, the one with
 * the smallest index comes first. Nodes on or after a cycle come last, by index. Linear in nodes and names, except for
 * the heap.
 */
export const topologicalSort = (nodes: readonly SortNode[]): number[] => {
  const names = new Map<string, { waiting: number; readonly consumers: number[] }>()
  const nameOf = (name: string) => {
    const known = names.get(name)
    if (known !== undefined) return known
    const fresh = { waiting: 0, consumers: [] as number[] }
    names.set(name, fresh)
    return fresh
  }
  for (const node of nodes) for (const name of node.produces) nameOf(name).waiting++
  const waiting = nodes.map((node, at) => {
    let count = 0
    for (const name of node.consumes) {
      const known = names.get(name)
      if (known === undefined) continue
      known.consumers.push(at)
      count++
    }
    return count
  })
  const ready = new ReadyQueue()
  waiting.forEach((count, at) => count === 0 && ready.push(at))
  const order: number[] = []
  for (let at = ready.pop(); at !== undefined; at = ready.pop()) {
    order.push(at)
    for (const name of nodes[at]?.produces ?? []) {
      const produced = nameOf(name)
      if (--produced.waiting > 0) continue
      for (const consumer of produced.consumers) {
        waiting[consumer] = (waiting[consumer] ?? 0) - 1
        if (waiting[consumer] === 0) ready.push(consumer)
      }
    }
  }
  if (order.length < nodes.length) waiting.forEach((count, at) => count > 0 && order.push(at))
  return order
}

/** Smallest number first: a binary heap. Numbers pushed in ascending order cost nothing extra. */
class ReadyQueue {
  readonly #heap: number[] = []

  push(value: number): void {
    const heap = this.#heap
    let at = heap.push(value) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = heap[parent] as number
      if (above <= value) break
      heap[at] = above
      at = parent
    }
    heap[at] = value
  }

  pop(): number | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (top === undefined || last === undefined || heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as number) < (heap[child] as number)) child++
      const below = heap[child] as number
      if (below >= last) break
      heap[at] = below
      at = child
    }
    heap[at] = last
    return top
  }
}

/**
 * Groups of nodes on a common cycle, including nodes with an edge to themselves: strongly connected components with a cycle
 * (Tarjan's algorithm, without recursion, so that a chain of ten thousand does not overflow the stack).
 *
 * @param count nodes are the numbers below it
 * @param edges for each node, the targets of its edges
 */
export const findCyclicGroups = (count: number, edges: readonly (readonly number[])[]): number[][] => {
  const index = new Int32Array(count).fill(-1)
  const low = new Int32Array(count)
  const open = new Uint8Array(count)
  const next = new Int32Array(count)
  const stack: number[] = []
  const groups: number[][] = []
  let counter = 0

  const enter = (node: number, path: number[]): void => {
    index[node] = low[node] = counter++
    open[node] = 1
    stack.push(node)
    path.push(node)
  }

  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue
    const path: number[] = []
    enter(root, path)
    while (path.length > 0) {
      const node = path[path.length - 1] as number
      const out = edges[node] ?? []
      const target = out[next[node] as number]
      if (target !== undefined) {
        next[node] = (next[node] as number) + 1
        if (index[target] === -1) enter(target, path)
        else if (open[target] === 1) low[node] = Math.min(low[node] as number, index[target] as number)
        continue
      }
      path.pop()
      const parent = path[path.length - 1]
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[node] as number)
      if (low[node] !== index[node]) continue
      const group = stack.splice(stack.lastIndexOf(node))
      for (const member of group) open[member] = 0
      if (group.length > 1 || out.includes(node)) groups.push(group)
    }
  }
  return groups
}

/** The nodes of a shortest cycle through `start`, beginning with it; empty if there is none. */
export const findCycleThrough = (start: number, edges: (node: number) => readonly number[]): number[] => {
  const from = new Map<number, number>()
  const queue = [start]
  for (let head = 0; head < queue.length; head++) {
    const node = queue[head] as number
    for (const target of edges(node)) {
      if (target === start) return tracePath(start, node, from)
      if (from.has(target)) continue
      from.set(target, node)
      queue.push(target)
    }
  }
  return []
}

const tracePath = (start: number, last: number, from: ReadonlyMap<number, number>): number[] => {
  const path = [last]
  for (let node = last; node !== start; path.push(node)) node = from.get(node) as number
  return path.reverse()
}

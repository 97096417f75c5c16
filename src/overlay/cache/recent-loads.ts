import type { CachedLoad } from './snapshot.ts'

const MAX_LOADS = 4

/** The last loads of this process, and the snapshots it is still writing. */
export class RecentLoads {
  readonly #loads = new Map<string, CachedLoad>()
  #writes: Promise<void> = Promise.resolve()

  get(key: string): CachedLoad | undefined {
    return this.#loads.get(key)
  }

  add(key: string, load: CachedLoad): void {
    this.#loads.delete(key)
    this.#loads.set(key, load)
    const [oldest] = this.#loads.keys()
    if (this.#loads.size > MAX_LOADS && oldest !== undefined) this.#loads.delete(oldest)
  }

  /** Writes one after the other, so that the latest snapshot is the one that remains. */
  queueWrite(write: () => Promise<void>): void {
    this.#writes = this.#writes.then(write)
  }

  /** Resolves when every queued snapshot is written. */
  get written(): Promise<void> {
    return this.#writes
  }
}

/** For {@link ProcessMemory.once}. */
export const createRecentLoads = (): RecentLoads => new RecentLoads()

/** A map of known keys whose values are created when they are first read. */
export class LazyMap<K, V> implements ReadonlyMap<K, V> {
  readonly #values = new Map<K, V>()
  readonly #keys: ReadonlySet<K>
  readonly #make: (key: K) => V

  constructor(keys: Iterable<K>, make: (key: K) => V) {
    this.#keys = new Set(keys)
    this.#make = make
  }

  get size(): number {
    return this.#keys.size
  }

  has(key: K): boolean {
    return this.#keys.has(key)
  }

  get(key: K): V | undefined {
    return this.#keys.has(key) ? this.#computeOnce(key) : undefined
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void, self?: unknown): void {
    for (const key of this.#keys) visit.call(self, this.#computeOnce(key), key, this)
  }

  keys(): MapIterator<K> {
    return this.#keys.keys()
  }

  *values(): MapIterator<V> {
    for (const key of this.#keys) yield this.#computeOnce(key)
  }

  *entries(): MapIterator<[K, V]> {
    for (const key of this.#keys) yield [key, this.#computeOnce(key)]
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries()
  }

  #computeOnce(key: K): V {
    const known = this.#values.get(key)
    if (known !== undefined || this.#values.has(key)) return known as V
    const value = this.#make(key)
    this.#values.set(key, value)
    return value
  }
}

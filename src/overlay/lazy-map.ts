/** A map of known keys whose values are made when they are asked for, each once. */
export class LazyMap<K, V> implements ReadonlyMap<K, V> {
  readonly #made = new Map<K, V>()
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
    return this.#keys.has(key) ? this.#valueOf(key) : undefined
  }

  forEach(visit: (value: V, key: K, map: ReadonlyMap<K, V>) => void, self?: unknown): void {
    for (const key of this.#keys) visit.call(self, this.#valueOf(key), key, this)
  }

  keys(): MapIterator<K> {
    return this.#keys.keys()
  }

  *values(): MapIterator<V> {
    for (const key of this.#keys) yield this.#valueOf(key)
  }

  *entries(): MapIterator<[K, V]> {
    for (const key of this.#keys) yield [key, this.#valueOf(key)]
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries()
  }

  #valueOf(key: K): V {
    const known = this.#made.get(key)
    if (known !== undefined || this.#made.has(key)) return known as V
    const value = this.#make(key)
    this.#made.set(key, value)
    return value
  }
}

/**
 * Values that are computed once in a process. One object is created where the program or the library starts and is passed
 * down, so that modules hold no state of their own and every test starts without any.
 */
export class ProcessMemory {
  readonly #values = new Map<unknown, unknown>()

  /** The value that `create` returned the first time. The function itself is the key: pass a top-level one. */
  once<T>(create: () => T): T {
    if (!this.#values.has(create)) this.#values.set(create, create())
    return this.#values.get(create) as T
  }
}

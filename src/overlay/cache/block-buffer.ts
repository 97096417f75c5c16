const BLOCK_SIZE = 256 * 1024

/**
 * Bytes that are written bit by bit and never moved again, since touching fresh memory twice is what takes longest of
 * writing a large file.
 */
export class BlockBuffer {
  readonly #full: Buffer[] = []
  #block = Buffer.allocUnsafeSlow(BLOCK_SIZE)
  #used = 0
  #before = 0

  /** Bytes so far. */
  get length(): number {
    return this.#before + this.#used
  }

  /** Everything so far, in order. */
  get parts(): readonly Buffer[] {
    return [...this.#full, this.#block.subarray(0, this.#used)]
  }

  append(content: Uint8Array | string): void {
    const size = typeof content === 'string' ? Buffer.byteLength(content) : content.byteLength
    if (size > BLOCK_SIZE - this.#used) this.#next(size)
    if (typeof content === 'string') this.#block.write(content, this.#used)
    else this.#block.set(content, this.#used)
    this.#used += size
  }

  #next(size: number): void {
    this.#full.push(this.#block.subarray(0, this.#used))
    this.#before += this.#used
    this.#block = Buffer.allocUnsafeSlow(Math.max(size, BLOCK_SIZE))
    this.#used = 0
  }
}

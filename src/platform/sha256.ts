/**
 * Hex sha256 of a short text, such as a path. Nearly every command needs one, and loading `node:crypto` for it costs a fifth
 * of a bare start. Contents are hashed with `node:crypto`. (FIPS 180-4)
 */
export const sha256OfShortText = (text: string): string => {
  const words = paddedWords(new TextEncoder().encode(text))
  const state = Uint32Array.from(INITIAL)
  for (let at = 0; at < words.length; at += BLOCK_WORDS) addBlock(state, words.subarray(at, at + BLOCK_WORDS))
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

const BLOCK_WORDS = 16

/** The message as big-endian words: a one bit after it, zeros, and its length in bits in the last two words. */
const paddedWords = (bytes: Uint8Array): Uint32Array => {
  const words = new Uint32Array((((bytes.length + 8) >>> 6) + 1) * BLOCK_WORDS)
  const put = (byte: number, at: number): void => {
    words[at >>> 2] = (words[at >>> 2] as number) | (byte << (24 - (at & 3) * 8))
  }
  bytes.forEach(put)
  put(0x80, bytes.length)
  words[words.length - 1] = bytes.length * 8
  return words
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

const addBlock = (state: Uint32Array, block: Uint32Array): void => {
  const schedule = scheduleOf(block)
  const v = state.slice()
  for (let t = 0; t < schedule.length; t++) {
    const a = v[0] as number
    const e = v[4] as number
    const choice = (e & (v[5] as number)) ^ (~e & (v[6] as number))
    const majority = (a & (v[1] as number)) ^ (a & (v[2] as number)) ^ ((v[1] as number) & (v[2] as number))
    const mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const first = (v[7] as number) + mixedE + choice + (ROUND_CONSTANTS[t] as number) + (schedule[t] as number)
    v.copyWithin(1, 0)
    v[4] = (v[4] as number) + first
    v[0] = first + mixedA + majority
  }
  for (let at = 0; at < v.length; at++) state[at] = (state[at] as number) + (v[at] as number)
}

/** One word for each round. */
const scheduleOf = (block: Uint32Array): Uint32Array => {
  const w = new Uint32Array(ROUND_CONSTANTS.length)
  w.set(block)
  for (let t = BLOCK_WORDS; t < w.length; t++) {
    const early = w[t - 15] as number
    const late = w[t - 2] as number
    const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
    w[t] = (w[t - 16] as number) + mixedEarly + (w[t - 7] as number) + mixedLate
  }
  return w
}

/** Bits of the square roots of the first eight primes. */
const INITIAL = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19]

/** Bits of the cube roots of the first 64 primes. */
const ROUND_CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]

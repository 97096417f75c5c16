import { LIMITS } from './limits.ts'

/** Keeps the bytes of a manifest that is read in pieces, up to one more than the limit: enough to see that it is too long. */
export interface KeptManifest {
  take(chunk: Uint8Array): void
  bytes(): Uint8Array
}

export const keepManifest = (): KeptManifest => {
  const pieces: Uint8Array[] = []
  let kept = 0
  return {
    take(chunk) {
      if (kept > LIMITS.manifest) return
      const piece = Uint8Array.from(chunk.subarray(0, LIMITS.manifest + 1 - kept))
      pieces.push(piece)
      kept += piece.length
    },
    bytes: () => Buffer.concat(pieces),
  }
}

import { lstatSync, readFileSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { isObject } from '../../state/json-text.ts'

/**
 * Hashes of the catalogs in the cache, kept in the user's own state folder. When a server says that a catalog is unchanged,
 * the copy in the cache is believed only with this hash: others may be able to write to the cache.
 */
export interface CatalogHashes {
  /** Whether the copy in the cache is the one that was received. `name`: its file name there. */
  has(name: string, content: Uint8Array): boolean
  /** Remembers a copy that was just received. It is recorded when an operation changes something. */
  add(name: string, content: Uint8Array): void
}

/** What this process received, by file name. */
const createReceived = (): Map<string, string> => new Map()

export const catalogHashes = ({ user, memory }: Pick<Context, 'user' | 'memory'>): CatalogHashes => {
  const received = memory.once(createReceived)
  return {
    has: (name, content) => (received.get(name) ?? readHashes(user.catalogs).get(name)) === sha512Hex(content),
    add: (name, content) => void received.set(name, sha512Hex(content)),
  }
}

/** Records what this process received. Nothing fails by it: without a record the catalog is sent again. */
export const recordCatalogHashes = async ({ user, memory }: Pick<Context, 'user' | 'memory'>): Promise<void> => {
  const received = memory.once(createReceived)
  const recorded = readHashes(user.catalogs)
  if ([...received].every(([name, hash]) => recorded.get(name) === hash)) return
  const hashes = Object.fromEntries([...recorded, ...received].sort(([a], [b]) => (a < b ? -1 : 1)))
  const text = `${JSON.stringify({ schema: 1, hashes }, null, 2)}\n`
  try {
    // It would replace the target of a link.
    if (lstatSync(user.catalogs, { throwIfNoEntry: false })?.isFile() === false) return
    const { default: writeFileAtomic } = await import('write-file-atomic')
    await writeFileAtomic(user.catalogs, text, { mode: 0o600 })
  } catch {
    // Read-only or full.
  }
}

const readHashes = (file: string): ReadonlyMap<string, string> => {
  try {
    if (!lstatSync(file).isFile()) return new Map()
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const hashes = isObject(value) && value['schema'] === 1 ? value['hashes'] : null
    return new Map(
      Object.entries(isObject(hashes) ? hashes : {}).flatMap(([name, hash]) =>
        typeof hash === 'string' ? [[name, hash] as const] : [],
      ),
    )
  } catch {
    return new Map()
  }
}

import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const SRC = join(import.meta.dirname, '../../src')
const LEVELS = [
  ['spec', 'manifest'],
  ['registry'],
  ['store', 'config'],
  ['overlay', 'fetch', 'bundle', 'trust', 'host'],
  ['operation', 'loop', 'skills'],
  ['cli', 'mcp'],
]

const levelOf = (file: string): number => {
  const room = file.split('/', 1)[0] ?? ''
  const level = LEVELS.findIndex((rooms) => rooms.includes(room))
  return level < 0 ? LEVELS.length - 1.5 : level
}

/** Every `import('…')` of the program, as pairs of paths relative to `src`. */
const lazyImports = (): (readonly [string, string])[] =>
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(SRC, file), 'utf8').matchAll(/\bimport\(\s*'(\.[^']+)'/g)].map(
        (found) => [file, posix.join(posix.dirname(file), found[1] ?? '')] as const,
      ),
    )

describe('imports made while the program runs, which the linter does not see', () => {
  it('exist, so that the next sentence says something', () => {
    expect(lazyImports().length).toBeGreaterThan(0)
  })

  it('go downward, or stay in their room', () => {
    const upward = lazyImports().filter(([from, to]) => levelOf(to) > levelOf(from))
    expect(upward).toEqual([])
  })
})

import { expect, test } from 'vitest'
import { LazyMap } from '../../../src/overlay/cache/lazy-map.ts'

test('a lazy map reads like a map and computes each value once, on first access', () => {
  const made: string[] = []
  const map = new LazyMap(['a', 'b', 'c'], (key) => {
    made.push(key)
    return key === 'b' ? undefined : key.toUpperCase()
  })
  expect([map.size, map.has('a'), map.has('constructor'), map.get('z')]).toEqual([3, true, false, undefined])
  expect([...map.keys()]).toEqual(['a', 'b', 'c'])
  expect(made).toEqual([])
  expect([map.get('c'), map.get('b'), map.get('b')]).toEqual(['C', undefined, undefined])
  expect(made).toEqual(['c', 'b'])
  expect([...map]).toEqual([
    ['a', 'A'],
    ['b', undefined],
    ['c', 'C'],
  ])
  expect([...map.values()]).toEqual(['A', undefined, 'C'])
  const visited: unknown[] = []
  map.forEach((value, key) => visited.push([key, value]))
  expect(visited).toEqual([...map.entries()])
  expect(made).toEqual(['c', 'b', 'a'])
})

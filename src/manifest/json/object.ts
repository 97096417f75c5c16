/** An object as `JSON.parse` makes them; own keys only. */
export type UnknownRecord = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member by its own key, or undefined. */
export const ownMember = (object: UnknownRecord, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

/** Keys that would reach a prototype when they are used for a look-up. */
export const isForbiddenKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype'

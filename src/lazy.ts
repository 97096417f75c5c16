/** A function that makes its value on the first call and returns the same one afterwards. */
export const lazy = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

/** The first five, and a sign that there are more. */
export const someOf = (names: readonly string[]): string =>
  `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`

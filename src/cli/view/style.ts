const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type StyleName = keyof typeof CODES

/** Puts text in a colour or weight, or leaves it as it is where that is not wanted. */
export type Style = (name: StyleName, text: string) => string

export const styled: Style = (name, text) => {
  const [on, off] = CODES[name]
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`
}

export const plain: Style = (_name, text) => text

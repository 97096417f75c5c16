/** One flag as the table holds it. Names are written without the dashes. */
export type Flag =
  /** On or off; with `negatable`, `--no-<name>` says off and saying nothing is a third case. */
  | { readonly kind: 'switch'; readonly summary: string; readonly negatable?: true }
  | { readonly kind: 'text'; readonly value: string; readonly summary: string }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly summary: string }
  /** Comma-separated, and may be given more than once. */
  | { readonly kind: 'list'; readonly value: string; readonly summary: string }

export type Flags = Readonly<Record<string, Flag>>

type FlagValue<F extends Flag> = F extends { kind: 'switch'; negatable: true }
  ? boolean | undefined
  : F extends { kind: 'switch' }
    ? boolean
    : F extends { kind: 'choice'; values: readonly (infer V)[] }
      ? V | undefined
      : F extends { kind: 'list' }
        ? readonly string[]
        : string | undefined

/** What a command line said of each flag of a table. */
export type FlagValues<F extends Flags> = { readonly [K in keyof F]: FlagValue<F[K]> }

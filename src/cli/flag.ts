/** One flag as the table holds it. Names are written without the dashes. */
export type Flag =
  /** On or off; with `negatable`, `--no-<name>` says off and saying nothing is a third case. */
  | { readonly kind: 'switch'; readonly summary: string; readonly negatable?: true }
  /** `blank`: an empty value is one, too, since hosts pass variables on that may not be set. */
  | { readonly kind: 'text'; readonly value: string; readonly summary: string; readonly blank?: true }
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly summary: string }
  /** Comma-separated, and may be given more than once; `whole`: given once for each, commas and all. */
  | { readonly kind: 'list'; readonly value: string; readonly summary: string; readonly whole?: true }

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

/** Flags that every command takes (contract, "Command line"). */
export const COMMON_FLAGS = {
  scope: { kind: 'choice', values: ['global', 'project'], summary: 'where to look and act' },
  project: { kind: 'text', value: '<dir>', summary: 'project folder, instead of the nearest one around here' },
  json: { kind: 'switch', summary: 'answer with one JSON document on stdout' },
  yes: { kind: 'switch', summary: 'consent to what is disclosed, without being asked' },
  'dry-run': { kind: 'switch', summary: 'show what would be done and do nothing' },
  quiet: { kind: 'switch', summary: 'no progress and no notices' },
  verbose: { kind: 'switch', summary: 'more detail, also about errors' },
  'no-color': { kind: 'switch', summary: 'no colours (also: NO_COLOR in the environment)' },
  offline: { kind: 'switch', summary: 'do not use the network' },
  'host-version': { kind: 'text', value: '<version>', summary: 'GSD version to judge capabilities against' },
  'first-party': { kind: 'text', value: '<dir>', summary: 'first-party set to use instead of the built-in one' },
  help: { kind: 'switch', summary: 'show help' },
} as const satisfies Flags

/** What a router is called with. */
export interface RouterInput {
  readonly args: readonly string[]
  readonly cwd: string
  readonly json: boolean
  readonly projectRoot: string | null
}

/** What the process of a family is told on its standard input. */
export interface ChildRequest {
  /** Real path of the module. */
  readonly module: string
  /** Hex; a module with another hash is not loaded. */
  readonly sha512: string
  readonly router: string
  readonly input: RouterInput
}

/** How the process says that a router failed: exit statuses that a router does not return, with the words for them. */
export const CHILD_FAILURES = {
  threw: { status: 250, words: () => 'failed with an error' },
  noExport: { status: 251, words: (router: string) => `exports no function "${router}"` },
  changed: { status: 252, words: () => 'changed while it was started' },
  unfinished: { status: 253, words: () => 'came to no end: its promise never settles' },
  badStatus: { status: 254, words: () => 'returned something that is not an exit status' },
} as const satisfies Record<string, { readonly status: number; readonly words: (router: string) => string }>

/** The highest exit status that a router may return. */
export const LARGEST_STATUS = 249

type Env = Readonly<Record<string, string | undefined>>

/** What of git's own variables still counts: how the user reaches hosts, and the user's configuration. */
const INHERITED =
  /^GIT_(?:SSL_.*|PROXY_SSL_.*|HTTP_.*|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS))$/

/** Never read from a repository's surroundings: where it is, what replaces its objects, what is written to the terminal. */
const OVERRIDES: Env = {
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ATTR_NOSYSTEM: '1',
  // The words are looked at, so they have to be in one language.
  LC_ALL: 'C',
  LANGUAGE: undefined,
  SSH_ASKPASS: undefined,
}

export interface GitEnvironment {
  readonly gitDir: string
  /** Protocols that may be spoken, with `:`; '-' for none. */
  readonly protocols: string
  /** Sent to one host besides the request: a url that names it, and the header's line. */
  readonly header: { readonly url: string; readonly line: string } | null
  /** What runs ssh, where git's own default is not right. */
  readonly ssh: string | null
}

/** The environment that git runs in (security, "git"). The header goes by a variable: arguments can be seen by everybody. */
export const gitEnvironment = (env: Env, { gitDir, protocols, header, ssh }: GitEnvironment): Env => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || INHERITED.test(name))),
  ...OVERRIDES,
  GIT_DIR: gitDir,
  GIT_ALLOW_PROTOCOL: protocols,
  ...(ssh === null ? {} : { GIT_SSH_COMMAND: ssh }),
  ...(header === null ? {} : addedConfig(env, `http.${header.url}.extraHeader`, header.line)),
})

/** One more setting behind those that the user's environment holds already. */
const addedConfig = (env: Env, key: string, value: string): Env => {
  const count = /^\d+$/.test(env['GIT_CONFIG_COUNT'] ?? '') ? Number(env['GIT_CONFIG_COUNT']) : 0
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: key,
    [`GIT_CONFIG_VALUE_${count}`]: value,
  }
}

/** Settings for every run, as arguments. A redirect is followed by git only where nobody has to judge it. */
export const gitSettings = (followRedirects: boolean): readonly string[] =>
  [
    'core.hooksPath=/dev/null',
    'core.attributesFile=/dev/null',
    'core.fsmonitor=false',
    'core.fsync=none',
    // Larger contents are streamed while they are checked, instead of being held in memory.
    'core.bigFileThreshold=16m',
    'gc.auto=0',
    'maintenance.auto=false',
    'submodule.recurse=false',
    'fetch.recurseSubmodules=false',
    'fetch.unpackLimit=1',
    'fetch.writeCommitGraph=false',
    'transfer.bundleURI=false',
    `http.followRedirects=${followRedirects ? 'initial' : 'false'}`,
    'http.lowSpeedLimit=1',
    'http.lowSpeedTime=30',
  ].flatMap((setting) => ['-c', setting])

type Env = Readonly<Record<string, string | undefined>>

/** git's own variables that are kept: how hosts are contacted, and the user's configuration. */
const INHERITED =
  /^GIT_(?:SSL_.*|PROXY_SSL_.*|HTTP_.*|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS))$/

const OVERRIDES: Env = {
  GIT_TERMINAL_PROMPT: '0',
  GCM_INTERACTIVE: 'never',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_ATTR_NOSYSTEM: '1',
  // Messages are matched, so they must be in English.
  LC_ALL: 'C',
  LANGUAGE: undefined,
  SSH_ASKPASS: undefined,
}

export interface GitEnvironment {
  readonly gitDir: string
  /** Folder of the objects; null: the one in `gitDir`. */
  readonly objects?: string | null
  /** Allowed protocols, separated by `:`; '-' for none. */
  readonly protocols: string
  /** A header line, and the url of the host that it is sent to. */
  readonly header: { readonly url: string; readonly line: string } | null
  /** The ssh command; null: git's own default. */
  readonly ssh: string | null
}

/** The environment of git (security, "git"). The header is a variable, because every user can see arguments. */
export const gitEnvironment = (env: Env, { gitDir, objects = null, protocols, header, ssh }: GitEnvironment): Env => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || INHERITED.test(name))),
  ...OVERRIDES,
  GIT_DIR: gitDir,
  ...(objects === null ? {} : { GIT_OBJECT_DIRECTORY: objects }),
  GIT_ALLOW_PROTOCOL: protocols,
  ...(ssh === null ? {} : { GIT_SSH_COMMAND: ssh }),
  ...(header === null ? {} : addedConfig(env, `http.${header.url}.extraHeader`, header.line)),
})

/** Appends a setting to those in the user's environment. */
const addedConfig = (env: Env, key: string, value: string): Env => {
  const count = /^\d+$/.test(env['GIT_CONFIG_COUNT'] ?? '') ? Number(env['GIT_CONFIG_COUNT']) : 0
  return {
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: key,
    [`GIT_CONFIG_VALUE_${count}`]: value,
  }
}

/** Settings for every run, as arguments. */
export const gitSettings = (followRedirects: boolean): readonly string[] =>
  [
    'core.hooksPath=/dev/null',
    'core.attributesFile=/dev/null',
    'core.fsmonitor=false',
    'core.fsync=none',
    'core.commitGraph=false',
    'core.multiPackIndex=false',
    // Larger contents are streamed while they are checked.
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

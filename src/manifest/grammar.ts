/** Grammars of the manifest's small languages. All are anchored, linear, and valid in JSON Schema. */

/** Rules 1 and 24: ids and command families. */
export const ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
export const MAX_ID_LENGTH = 64
/** Rule 14: skill and agent stems; also MCP server names (25) and lane slugs (36). */
export const STEM = /^[a-z0-9][a-z0-9_-]*$/
/** Rule 16: a dotted configuration key that a capability can declare. */
export const CONFIG_KEY = /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)*$/
/** A reference to a dotted configuration key; central families allow capitals. */
export const ANY_CONFIG_KEY = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/
/** A segment that would reach a prototype: configuration is looked up by segments. */
export const FORBIDDEN_SEGMENT = /(?:^|\.)(?:__proto__|constructor|prototype)(?:\.|$)/
/** Whether a text is a valid reference to a configuration key. */
export const isConfigKeyReference = (text: string): boolean =>
  ANY_CONFIG_KEY.test(text) && !FORBIDDEN_SEGMENT.test(text)
/** Rule 15: a path that is safe in a shell, relative, without empty, `.`, `..` or hyphen-led segments. */
export const BUNDLE_PATH =
  /^(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._-]*(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._-]*)*$/
/** Rule 24: such a path of a JavaScript file. */
export const MODULE_PATH =
  /^(?=.+\.[cm]?js$)(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._-]*(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._-]*)*$/
/** Rule 25: a bare program name, or a path inside the bundle (also with `./` in front). */
export const MCP_COMMAND =
  /^(?!\.\.?$)(?:\.\/)?(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._+-]*(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._+-]*)*$/
/** Rule 25: a folder inside the bundle; `.` is its root. */
export const MCP_CWD =
  /^(?:\.\/?|(?:\.\/)?(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._-]*(?:\/(?!\.\.?(?:\/|$))[A-Za-z0-9._][A-Za-z0-9._-]*)*)$/
/** Rules 28 and 31: a relative path that cannot leave the folder it is resolved in. */
export const CONFINED_PATH = /^(?!(?:[^/]*\/)*\.\.(?:\/|$))[^/\\:~][^\\:]*$/
/** Rule 28: the same, or from the home. */
export const HOME_PATH = /^(?!(?:[^/]*\/)*\.\.(?:\/|$))(?:~\/)?[^/\\:~][^\\:]*$/
/** Rule 29. */
export const DOT_DIR = /^\.(?!\.?$)[^/\\:]+$/
export const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** Rules 37 and 39: a program that is looked up on PATH. */
export const PROGRAM = /^[A-Za-z0-9._][A-Za-z0-9._+-]*$/
export const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
/** Rule 18: `<family>[ <subcommand>…]`. */
export const COMMAND_REF = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?: [^\s]+)*$/
/** Rule 9: 64 bytes in base64. */
export const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/
/** Rule 3: https://semver.org, as published there. */
export const SEMVER =
  /^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)(?:-(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/
/** Rule 10. */
export const PROJECT_URL = /^(?:https?|git|ssh|git\+(?:https?|ssh|git|file)):\/\/[^\s]+$/
export const HTTP_URL = /^https?:\/\/[^\s]+$/

/** Rule 1: names that no folder can have on Windows. */
export const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/

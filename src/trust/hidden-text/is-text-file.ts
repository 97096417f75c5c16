import { isUtf8 } from 'node:buffer'
import { basename, extname } from 'node:path/posix'
import { isUtf16 } from '../../manifest/json/decode-utf8.ts'

/** As far as a reader of text looks for a zero byte. */
const SNIFF_LENGTH = 8000

/** Ends of names of what hosts, agents and interpreters read as text, whatever is in it. */
const TEXT_EXTENSION =
  /^\.(?:md|mdx|mdc|markdown|txt|json|jsonc|json5|jsonl|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|csv|sql|[cm]?[jt]sx?|sh|bash|zsh|fish|py|pyi|rb|pl|php|lua|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|ps1|bat|cmd)$/i
/** `README`, `LICENSE`, `Makefile`. */
const TEXT_NAME = /^(?:[A-Z][A-Z_-]*|[A-Z][a-z]+file)$/

/**
 * Whether somebody may read a file as text. By its name where that says so, or by `#!`: a zero byte or a wrong one in a
 * prompt or a script hides nothing. Of other files by what they begin with, since pictures hold any three bytes sooner or
 * later.
 */
export const isTextFile = (path: string, start: Uint8Array, script: boolean): boolean =>
  script ||
  TEXT_EXTENSION.test(extname(path)) ||
  TEXT_NAME.test(basename(path)) ||
  isUtf16(start) ||
  isUtf8(start) ||
  !start.subarray(0, SNIFF_LENGTH).includes(0)

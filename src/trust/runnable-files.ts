import { extname } from 'node:path/posix'
import type { BundleFile } from '../bundle/bundle.ts'

/** Endings of scripts and programs that a system or an interpreter runs. */
const SCRIPT_EXTENSION =
  /^\.(?:sh|bash|zsh|fish|ksh|csh|tcsh|dash|nu|command|tool|[cm]?[jt]sx?|coffee|py[wzcx]?|ipynb|rb|pl|pm|php|phar|lua|tcl|awk|sed|r|jl|ex|exs|erl|escript|go|rs|swift|kts?|groovy|gradle|scala|clj[cs]?|bb|hs|ml|lisp|scm|rkt|el|vim|ps[dm]?1|bat|cmd|vbs|vbe|wsf|wsh|hta|msi|exe|com|scr|dll|so|dylib|node|wasm|jar|class|bin|run|out|appimage|elf|applescript|scpt|workflow|mk|make|nix|d|zig|dart|cs|fsx|cu|sql)$/i

/** Folders whose files are placed where an agent finds them. */
const PLACED_FOLDER = /^(?:skills|agents|commands)\//

/** Whether a system or an interpreter would run a file: execute bit, `#!`, or a script's ending. */
export const isRunnable = ({ path, executable, shebang }: BundleFile): boolean =>
  executable || shebang || SCRIPT_EXTENSION.test(extname(path))

export const isPlaced = ({ path }: BundleFile): boolean => PLACED_FOLDER.test(path)

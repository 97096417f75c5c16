import { isAbsolute, normalize } from 'node:path'

/** The id of a capability (rule 1 of the manifest page). Every id read from a file is checked before it is used in a path. */
export const isCapabilityId = (text: string): boolean => text.length <= 64 && CAPABILITY_ID.test(text)

const CAPABILITY_ID = /^(?!(?:constructor|prototype|con|prn|aux|nul|com[1-9]|lpt[1-9])$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/** A path below a folder: relative, with `/`, without `.`, `..` and empty parts. */
export const isInnerPath = (text: string): boolean =>
  text.length <= 1024 &&
  !CONTROL_OR_BACKSLASH.test(text) &&
  text.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** An absolute path as this program writes it: without `.`, `..` and doubled slashes. */
export const isNormalizedAbsolutePath = (text: string): boolean =>
  text.length <= 4096 && !text.includes('\0') && isAbsolute(text) && normalize(text) === text

/** `<time in base 36>-<random>`: part of the names of staging and trash folders and temporary files. */
export const isOperationName = (text: string): boolean => /^[0-9a-z]{1,16}-[0-9a-z]{4,32}$/.test(text)

const CONTROL_OR_BACKSLASH = /[\u0000-\u001f\u007f\\]/

import { isAbsolute, normalize } from 'node:path'

/**
 * The id of a capability (rule 1 of the manifest page), and fit to be looked up by. Asked of every id that is read from a file, before it becomes a
 * part of a path.
 */
export const isCapabilityId = (text: string): boolean => text.length <= 64 && CAPABILITY_ID.test(text)

const CAPABILITY_ID = /^(?!(?:constructor|prototype|con|prn|aux|nul|com[1-9]|lpt[1-9])$)[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

/** A path below some folder: relative, with `/`, and with no part that leads elsewhere. */
export const isInnerPath = (text: string): boolean =>
  text.length <= 1024 &&
  !CONTROL_OR_BACKSLASH.test(text) &&
  text.split('/').every((part) => part !== '' && part !== '.' && part !== '..')

/** An absolute path as this program writes it: without `.`, `..` and doubled slashes. */
export const isNormalizedAbsolutePath = (text: string): boolean =>
  text.length <= 4096 && !text.includes('\0') && isAbsolute(text) && normalize(text) === text

/** `<time in base 36>-<random>`; names staging and trash folders and temporaries. */
export const isOperationName = (text: string): boolean => /^[0-9a-z]{1,16}-[0-9a-z]{4,32}$/.test(text)

/** Names that must never become a look-up by key. */
export const isForbiddenKey = (text: string): boolean => FORBIDDEN_KEYS.includes(text)

const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype']
const CONTROL_OR_BACKSLASH = /[\u0000-\u001f\u007f\\]/

import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Context } from '../../context.ts'
import { errnoOf, GsdError } from '../../errors.ts'
import { ensureFolder } from '../../platform/folders.ts'
import { sha512Hex } from '../../platform/hash.ts'
import { isInside, realPathOf } from '../../platform/real-path.ts'
import { replaceFile } from '../../platform/replace-file.ts'
import { quote } from '../../redact.ts'
import { shellQuote } from '../../shell-quote.ts'
import type { Json } from '../../state/json-text.ts'
import type { ScopePaths } from '../../state/scope-paths.ts'
import { withLock } from '../../transaction/lock.ts'
import { newOperationName } from '../../transaction/operation-context.ts'
import { sameValue } from '../gates/same-value.ts'
import { type KeyInText, setKey, unsetKey } from './edit-config-text.ts'
import { findIn } from './layer.ts'
import { parseConfigText, readConfigText } from './read-config-text.ts'
import { projectConfigFile } from './read-layers.ts'
import { isObject } from './value-type.ts'

/** Keys to write; undefined takes a key out. */
export interface ConfigChange {
  readonly layer: 'project' | 'user'
  readonly values: ReadonlyMap<string, Json | undefined>
  readonly dryRun: boolean
}

/** What was written, or would be. */
export interface ConfigWritten {
  readonly file: string
  readonly changed: readonly string[]
}

/**
 * Splices keys into the project's or the user's configuration, under the lock. What was typed stays: comments, order and
 * layout. A file that says nothing new is not touched.
 * @throws GsdError USAGE_NO_PROJECT, STATE_UNREADABLE, STATE_CONFIG_INVALID, STATE_LINKED, STATE_*, LOCK_*
 */
export const writeConfig = async (context: Context, change: ConfigChange): Promise<ConfigWritten> => {
  const { file, paths } = target(context, change.layer)
  const work = (): ConfigWritten => {
    requireInside(file, change.layer, paths)
    const before = readBytes(file)
    const text = before === null ? '' : readable(file, before)
    const { next, changed } = edit(text, file, change)
    if (changed.length > 0 && !change.dryRun) {
      ensureFolder(context.disk, dirname(file))
      replaceFile(context.disk, file, Buffer.from(next), {
        operation: newOperationName(context),
        expect: before === null ? null : sha512Hex(before),
        ...(change.layer === 'user' ? { mode: 0o600 } : {}),
      })
    }
    return { file, changed }
  }
  return change.dryRun ? work() : await withLock(context, paths, work)
}

const target = (
  { user, global, project }: Context,
  layer: ConfigChange['layer'],
): { readonly file: string; readonly paths: ScopePaths } => {
  if (layer === 'user') return { file: user.config, paths: global }
  if (project !== null) return { file: projectConfigFile(project.realRoot), paths: project }
  throw new GsdError('USAGE_NO_PROJECT', 'there is no project here whose configuration could be written', {
    hint: 'name one with --project <dir>, or write your own defaults with --global',
  })
}

/** A link in a project must not lead a write out of it. */
const requireInside = (file: string, layer: ConfigChange['layer'], { realRoot }: ScopePaths): void => {
  if (layer === 'user' || isInside(realPathOf(file), realRoot)) return
  throw new GsdError('STATE_LINKED', `${quote(file)} is a link that leads out of the project`, {
    hint: 'put an ordinary file there',
  })
}

const readBytes = (file: string): Buffer | null => {
  const found = readConfigText(file)
  if (found.state === 'absent') return null
  if (found.state === 'unreadable') throw unreadable(file, found.reason, found.place?.line)
  try {
    return readFileSync(file)
  } catch (error) {
    throw unreadable(file, `it cannot be read (${errnoOf(error) ?? 'EIO'})`)
  }
}

const readable = (file: string, bytes: Buffer): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw unreadable(file, 'it is not UTF-8 text')
  }
}

const unreadable = (file: string, reason: string, line?: number): GsdError =>
  new GsdError('STATE_UNREADABLE', `${quote(file)} cannot be read: ${reason}; nothing was written`, {
    hint: `correct ${shellQuote(file)}${line === undefined ? '' : ` at line ${line}`}`,
    details: { file, ...(line === undefined ? {} : { line }) },
  })

const edit = (
  text: string,
  file: string,
  { layer, values }: ConfigChange,
): { readonly next: string; readonly changed: readonly string[] } => {
  const prefix = layer === 'user' ? ['defaults'] : []
  let next = text
  const changed: string[] = []
  for (const [key, value] of values) {
    if (isSaid(next, { file, prefix, key }, value)) continue
    next = value === undefined ? unsetKey(next, { file, prefix, key }) : setKey(next, { file, prefix, key }, value)
    if (!isSaid(next, { file, prefix, key }, value))
      throw new GsdError('INTERNAL_ERROR', `the edit of ${quote(file)} could not be proven right; nothing was written`)
    changed.push(key)
  }
  return { next, changed }
}

/** Whether a text says already what is to be written; a removed key must be gone in both forms. */
const isSaid = (text: string, { prefix, key }: KeyInText, value: Json | undefined): boolean => {
  const parsed = parseConfigText(text.startsWith('\ufeff') ? text.slice(1) : text)
  let values: unknown = parsed.state === 'ok' ? parsed.root : {}
  for (const name of prefix) values = isObject(values) && Object.hasOwn(values, name) ? values[name] : {}
  const { nested, dotted } = findIn(isObject(values) ? values : {}, key)
  if (value === undefined) return nested === null && dotted === null
  const found = nested ?? dotted
  return found !== null && sameValue(found.value, value)
}

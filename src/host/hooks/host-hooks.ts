import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'
import type { FeatureManifest, Hook } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { HostHook } from '../../state/host-edit.ts'
import { sameHook } from '../edit/host-entry.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'
import { hookCommand, hookPath, type HookScript } from './hook-command.ts'

/** The facts of a bundle's file that decide how a hook is called. */
export type HookFile = Pick<BundleFile, 'path' | 'shebang' | 'crlf'>

/** The installed bundle that a host's entries point to. */
export interface EntrySource<F> {
  /** Real path of the installed bundle. */
  readonly dir: string
  /** Its files; there are no links among them. */
  readonly files: readonly F[]
  /** How to go on without this host, as a hint. Default: not to name it. */
  readonly remedy?: string
}

/** The hint that belongs to a host that cannot take a capability. */
export const remedyFor = ({ id }: HostRuntime, { remedy }: Pick<EntrySource<unknown>, 'remedy'>): string =>
  remedy ?? `leave out --runtime ${id}`

/**
 * A capability's hooks for one host's file: the host's event names and units, and commands with absolute paths (hosts
 * page, "Hook commands").
 * @throws HOST_UNSUPPORTED, HOST_UNKNOWN_EVENT, HOST_SCRIPT: what a host cannot do refuses the whole install.
 */
export const hostHooks = (
  manifest: FeatureManifest,
  runtime: HostRuntime,
  source: EntrySource<HookFile>,
): HostHook[] => {
  const remedy = remedyFor(runtime, source)
  requireSupport(manifest, runtime, remedy)
  if (runtime.surface === 'none') return []
  const hooks = manifest.hooks ?? []
  requireEvents(manifest.id, hooks, runtime, remedy)
  const all = hooks.flatMap((hook) => {
    const script = requireScript(hook, source)
    const matcher = translateMatcher(manifest.id, hook, runtime, remedy)
    const command = runtime.commandForm === 'path' ? hookPath(script) : hookCommand(script)
    const timeout = translateTimeout(hook, runtime)
    return hostEventsFor(hook.event, runtime).map((event) =>
      buildHook({ event, matcher, command, timeout, script: script.path }),
    )
  })
  return all.filter((hook, index) => all.findIndex((each) => sameHook(each, hook)) === index)
}

/** @throws HOST_UNSUPPORTED when the manifest's `runtimeCompat` excludes this host, with its note. */
const requireSupport = ({ id, runtimeCompat }: FeatureManifest, runtime: HostRuntime, remedy: string): void => {
  const { supported, unsupported, notes } = runtimeCompat
  if (!unsupported.includes(runtime.id) && (supported.includes('*') || supported.includes(runtime.id))) return
  const key = [runtime.id, '*'].find((each) => notes !== undefined && Object.hasOwn(notes, each))
  const note = key === undefined ? '' : `: ${notes?.[key] ?? ''}`
  throw new GsdError('HOST_UNSUPPORTED', `${quote(id)} does not support ${runtime.title}${note}`, {
    hint: supported.includes('*') ? remedy : `${remedy}; it supports ${supported.join(', ')}`,
    details: { runtime: runtime.id, supported, unsupported },
  })
}

/** A host's names for an event of the Claude dialect, or for one of its own; empty where it has none. */
export const hostEventsFor = (event: string, { claudeEvents, events }: HostRuntime): readonly string[] => {
  if (Object.hasOwn(claudeEvents, event)) return [claudeEvents[event] ?? []].flat()
  return events.includes(event) ? [event] : []
}

const requireEvents = (id: string, hooks: readonly Hook[], runtime: HostRuntime, remedy: string): void => {
  const unknown = [...new Set(hooks.map(({ event }) => event))].filter(
    (event) => hostEventsFor(event, runtime).length === 0,
  )
  if (unknown.length === 0) return
  const known = [...new Set([...Object.keys(runtime.claudeEvents), ...runtime.events])]
  const names = unknown.map((event) => quote(event)).join(', ')
  throw new GsdError('HOST_UNKNOWN_EVENT', `${runtime.title} has no event ${names}, which ${quote(id)} hooks into`, {
    hint: `${remedy}; its events: ${known.join(', ')}`,
    details: { runtime: runtime.id, unknown, events: known },
  })
}

const requireScript = (hook: Hook, { dir, files }: EntrySource<HookFile>): HookScript => {
  const file = files.find(({ path }) => path === hook.script)
  if (file !== undefined) return { path: join(dir, file.path), shebang: file.shebang }
  throw new GsdError('HOST_SCRIPT', `the hook script ${quote(hook.script)} is not in the bundle`, {
    hint: 'add the file, or correct the hook in capability.json',
  })
}

/** Lookaround and backreferences, which Rust's regular expressions do not have. */
const NOT_IN_RUST = /\(\?<?[=!]|\\[1-9]|\\k</

const translateMatcher = (
  id: string,
  { matcher, event }: Hook,
  runtime: HostRuntime,
  remedy: string,
): string | undefined => {
  if (matcher === undefined) return undefined
  const cannot = (what: string): GsdError =>
    new GsdError(
      'HOST_UNSUPPORTED',
      `${quote(id)} limits its ${event} hook to ${quote(matcher)}, and ${runtime.title} ${what}`,
      {
        hint: remedy,
        details: { runtime: runtime.id, event, matcher },
      },
    )
  if (runtime.matcher === null) {
    if (matcher === '.*') return undefined
    throw cannot('has no matcher: the hook would run on everything')
  }
  if (runtime.matcher === 'rust' && NOT_IN_RUST.test(matcher)) throw cannot('cannot read that expression')
  return matcher
}

const translateTimeout = ({ timeout }: Hook, { timeout: rule }: HostRuntime): number | undefined => {
  if (timeout === undefined || rule === null) return undefined
  const value = rule.unit === 'milliseconds' ? timeout * 1000 : timeout
  const whole = rule.wholeNumber ? Math.ceil(value) : value
  return Math.min(Math.max(whole, rule.min ?? 0), rule.max ?? Infinity)
}

type HookParts = Omit<HostHook, 'matcher' | 'timeout'> &
  Record<'matcher', string | undefined> &
  Record<'timeout', number | undefined>

const buildHook = ({ event, matcher, command, timeout, script }: HookParts): HostHook => ({
  event,
  ...(matcher === undefined ? {} : { matcher }),
  command,
  ...(timeout === undefined ? {} : { timeout }),
  script,
})

import { join } from 'node:path'
import type { BundleFile } from '../../bundle/bundle.ts'
import { GsdError } from '../../errors.ts'
import type { FeatureManifest, Hook } from '../../manifest/manifest.ts'
import { nearestWord } from '../../nearest-word.ts'
import { quote } from '../../redact.ts'
import type { HostHook } from '../../state/host-edit.ts'
import { sameHook } from '../edit/host-entry.ts'
import type { HostRuntime } from '../runtimes/runtime.ts'
import { hookCommand, hookPath, type HookScript } from './hook-command.ts'
import type { LeftOut } from './left-out.ts'
import { eventsForTools, translateMatcher } from './translate-matcher.ts'

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
const remedyFor = ({ id }: HostRuntime, { remedy }: Pick<EntrySource<unknown>, 'remedy'>): string =>
  remedy ?? `leave out --runtime ${id}`

export interface HostHooks {
  readonly hooks: readonly HostHook[]
  /** Hooks that this host cannot run as the manifest wants. */
  readonly leftOut: readonly LeftOut[]
}

/**
 * A capability's hooks for one host's file: the host's event names and units, and commands with absolute paths (hosts
 * page, "Hook commands"). A hook with an event or matcher that the host does not have is left out.
 * @throws HOST_UNSUPPORTED for a host that the manifest excludes, HOST_SCRIPT for a script that no host can run
 */
export const hostHooks = (
  manifest: FeatureManifest,
  runtime: HostRuntime,
  source: EntrySource<HookFile>,
): HostHooks => {
  requireSupport(manifest, runtime, remedyFor(runtime, source))
  if (runtime.surface === 'none') return { hooks: [], leftOut: [] }
  const results = (manifest.hooks ?? []).map((hook) => translateHook(hook, runtime, source))
  const all = results.flatMap((result) => ('code' in result ? [] : result.hooks))
  const leftOut = results.flatMap((result) => ('code' in result ? [result] : []))
  return {
    hooks: all.filter((hook, index) => all.findIndex((each) => sameHook(each, hook)) === index),
    leftOut: leftOut.filter(({ reason }, index) => leftOut.findIndex((each) => each.reason === reason) === index),
  }
}

const translateHook = (
  hook: Hook,
  runtime: HostRuntime,
  source: EntrySource<HookFile>,
): { readonly hooks: readonly HostHook[] } | LeftOut => {
  const script = requireScript(hook, source)
  const all = hostEventsFor(hook.event, runtime)
  const byTool = eventsForTools(hook, runtime, all)
  const events = byTool ?? all
  const matcherError = byTool === null ? matcherFault(hook, runtime) : null
  const fault = all.length === 0 ? unknownEvent(hook, runtime) : (matcherError ?? scriptFault(script, runtime))
  if (fault !== null) return fault
  const matcher = runtime.matcher === null ? undefined : translateMatcher(hook, runtime)
  const command = runtime.commandForm === 'path' ? hookPath(script) : hookCommand(script)
  const timeout = translateTimeout(hook, runtime)
  return { hooks: events.map((event) => buildHook({ event, matcher, command, timeout, script: script.path })) }
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

const unknownEvent = ({ event }: Hook, runtime: HostRuntime): LeftOut => {
  const known = [...new Set([...Object.keys(runtime.claudeEvents), ...runtime.events])]
  const nearest = nearestWord(event, known)
  const near = nearest === null ? '' : `; the nearest is ${quote(nearest)}`
  return {
    code: 'HOST_UNKNOWN_EVENT',
    reason: `${runtime.title} has no event ${quote(event)}, so that hook is left out${near}`,
    details: { runtime: runtime.id, event, events: known },
  }
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

const matcherFault = ({ matcher, event }: Hook, runtime: HostRuntime): LeftOut | null => {
  const leaveOut = (what: string): LeftOut => ({
    code: 'HOST_UNSUPPORTED',
    reason: `${runtime.title} ${what}, so the ${event} hook for ${quote(matcher ?? '')} is left out`,
    details: { runtime: runtime.id, event, matcher },
  })
  if (matcher === undefined) return null
  // Without its matcher the hook would run on everything.
  if (runtime.matcher === null) return matcher === '.*' ? null : leaveOut('has no matchers')
  return runtime.matcher === 'rust' && NOT_IN_RUST.test(matcher) ? leaveOut('cannot read that matcher') : null
}

/** A host that runs a script by its path alone needs the first line of the script. */
const scriptFault = (script: HookScript, runtime: HostRuntime): LeftOut | null => {
  if (runtime.commandForm !== 'path' || script.shebang) return null
  const reason = `${runtime.title} runs a script by its path, and ${quote(script.path)} has no first line with #!, so its hook is left out`
  return { code: 'HOST_SCRIPT', reason, details: { runtime: runtime.id, script: script.path } }
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

import type { Reviewer } from '../manifest/manifest.ts'
import { quote } from '../redact.ts'
import type { HttpCall, Probe, SpawnCall } from './lane.ts'
import type { ReviewConfig } from './review-config.ts'

/** A part of a lane that was read, and why it cannot be used. */
export interface Read<T> {
  readonly value: T
  readonly problem: string | null
}

/** Rule 38. */
const PLACEHOLDERS: ReadonlySet<string> = new Set([
  '{{model}}',
  '{{effort}}',
  '{{output}}',
  '{{prompt}}',
  '{{nativeTimeout}}',
])

/** `invoke` of a checked manifest, typed. */
export const callOf = ({ transport, invoke }: Reviewer, host: string | null): Read<SpawnCall | HttpCall> => {
  if (transport === 'openai-http')
    return {
      value: {
        transport,
        host,
        path: textOf(invoke['path']) ?? '/v1/chat/completions',
        discoversModel: invoke['modelDiscovery'] === 'first-from-models-endpoint',
        fallbackModel: textOf(invoke['fallbackModel']),
      },
      problem: host === null ? `no host is configured in ${String(invoke['hostConfigKey'])}` : null,
    }
  const args = textsOf(invoke['args'])
  const unknown = args.find((arg) => arg.includes('{{') && !PLACEHOLDERS.has(arg))
  return {
    value: {
      transport,
      binary: textOf(invoke['binary']) ?? '',
      args,
      promptChannel: invoke['promptChannel'] as SpawnCall['promptChannel'],
      outputChannel: invoke['outputChannel'] as SpawnCall['outputChannel'],
      outputArg: textOf(invoke['outputArg']),
      modelArg: textOf(invoke['modelArg']),
      effortChannel: invoke['effortChannel'] as SpawnCall['effortChannel'],
      env: pairsOf(invoke['env']),
    },
    problem: unknown === undefined ? null : `its argument ${quote(unknown)} has a placeholder that does not exist`,
  }
}

/** `probe` of a checked manifest, typed. A server is probed at the host of the lane, which is the one with consent. */
export const probeOf = ({ probe, invoke }: Reviewer, host: string | null): Read<Probe> => {
  const timeoutMs = typeof probe['timeoutMs'] === 'number' ? probe['timeoutMs'] : 5000
  const binary = textOf(probe['binary']) ?? ''
  if (probe['kind'] === 'command-exists') return { value: { kind: 'command-exists', binary }, problem: null }
  if (probe['kind'] === 'command-capability')
    return {
      value: { kind: 'command-capability', binary, needle: textOf(probe['needle']) ?? '', timeoutMs },
      problem: null,
    }
  const same = probe['hostConfigKey'] === invoke['hostConfigKey']
  return {
    value: { kind: 'http-reachable', host, path: textOf(probe['path']) ?? '/', timeoutMs },
    problem: same ? null : 'its probe asks another host than the one that gets the prompt',
  }
}

/**
 * The host that a network lane sends to. A built-in lane goes to its default or to the user's own choice, so that a
 * project cannot send plans to a host of its choosing (security page, "Disclosure and consent").
 */
export const resolveHost = (
  { transport, invoke }: Reviewer,
  config: ReviewConfig,
  builtIn: boolean,
): { readonly host: string | null; readonly problem: string | null } => {
  if (transport !== 'openai-http') return { host: null, problem: null }
  const key = textOf(invoke['hostConfigKey']) ?? ''
  const otherwise = textOf(invoke['defaultHost'])
  const found = config.lookup(key)
  const host = textOf(found?.value) ?? otherwise
  if (host !== null && !isWebUrl(host)) return { host, problem: `its host ${quote(host)} is not a url` }
  const own = textOf(config.lookupOutsideProject(key)?.value) ?? otherwise
  if (!builtIn || found?.origin !== 'project' || host === own) return { host, problem: null }
  const kept = own === null ? 'no host of yours' : quote(own)
  return {
    host,
    problem: `the project sends plans to ${quote(host)}, but you chose ${kept}; to agree: gsd config set --global ${key} ${host ?? ''}`,
  }
}

const isWebUrl = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)

const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null)

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []

const pairsOf = (value: unknown): Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).flatMap(([k, v]) => (typeof v === 'string' ? [[k, v]] : [])))
    : {}

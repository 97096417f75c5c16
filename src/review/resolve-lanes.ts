import type { Reviewer } from '../manifest/manifest.ts'
import { HANDLERS } from '../manifest/schema/reviewer.ts'
import { quote } from '../redact.ts'
import type { Registry } from '../registry/registry.ts'
import type { Lane } from './lane.ts'
import { callOf, probeOf, resolveHost } from './read-lane.ts'
import { positiveValue, type ReviewConfig, textValue } from './review-config.ts'

/** Consent of the user for the lanes of overlays. */
export interface LaneConsent {
  /** Why the lane of a capability may not run, or null. Also for the host that its plans would go to. */
  refusal(owner: string, slug: string, host: string | null): string | null
}

export interface ResolveLanesInput {
  readonly config: ReviewConfig
  readonly consent: LaneConsent
}

/**
 * Every lane of a registry with its configured values, in roster order (by capability). Pure apart from what the
 * configuration and the consent read.
 */
export const lanesOf = (registry: Registry, { config, consent }: ResolveLanesInput): readonly Lane[] =>
  [...registry.reviewers.values()].map((reviewer) => laneWith(registry, reviewer, { config, consent }))

const laneWith = (
  registry: Registry,
  reviewer: Reviewer & { readonly owner: string },
  { config, consent }: ResolveLanesInput,
): Lane => {
  const { slug, owner, handler } = reviewer
  const scope = registry.capabilities.get(owner)?.origin ?? 'first-party'
  const host = resolveHost(reviewer, config, scope === 'first-party')
  const call = callOf(reviewer, host.host)
  const probe = probeOf(reviewer, host.host)
  const model = textValue(config, reviewer.modelConfigKey)
  const effort = textValue(config, reviewer.effortConfigKey) ?? reviewer.defaultEffort ?? null
  const seconds = positiveValue(config, reviewer.timeoutConfigKey)
  const refused = [
    () => call.problem,
    () => probe.problem,
    () => host.problem,
    () => (handler === null || HANDLERS.has(handler) ? null : `its handler ${quote(handler)} needs a newer version`),
    () => (scope === 'first-party' ? null : consent.refusal(owner, slug, host.host)),
    () => optionProblem('model', model),
    () => (effort !== null && !/^[A-Za-z][\w-]*$/.test(effort) ? `its effort ${quote(effort)} is not one word` : null),
  ].reduce<string | null>((found, check) => found ?? check(), null)
  return {
    name: slug,
    slug,
    instance: false,
    flags: reviewer.flags,
    section: reviewer.reviewsSection,
    evidence: reviewer.evidenceClass,
    handler,
    owner,
    scope,
    call: call.value,
    probe: probe.value,
    requiresBinaries: reviewer.requiresBinaries,
    model,
    effort,
    agent: null,
    timeoutMs: seconds === null ? reviewer.timeoutFloorMs : seconds * 1000,
    budget: positiveValue(config, reviewer.promptBudgetKey) ?? positiveValue(config, 'review.max_prompt_tokens'),
    refused,
  }
}

/** A value that a program would read as an option of its own is never passed. */
export const optionProblem = (what: string, value: string | null): string | null =>
  value !== null && value.startsWith('-') ? `its ${what} ${quote(value)} starts with a hyphen` : null

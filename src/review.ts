import { isAbsolute, resolve } from 'node:path'
import { libraryPaths, readTextOptions, workingDirectory } from './library-options.ts'
import { type Config, configOf } from './loop/config/config.ts'
import { findIn, type ConfigLayers } from './loop/config/layer.ts'
import { readLayers } from './loop/config/read-layers.ts'
import { isObject } from './manifest/json/object.ts'
import { realDisk } from './platform/disk.ts'
import { realPathOf } from './platform/real-path.ts'
import type { Registry } from './registry/registry.ts'
import { laneConsent } from './review/lane-consent.ts'
import type { LaneResult } from './review/lane-result.ts'
import type { Lane } from './review/lane.ts'
import type { PromptPart } from './review/phase-files.ts'
import { lanesOf } from './review/resolve-lanes.ts'
import type { ReviewConfig, ReviewValue } from './review/review-config.ts'
import { type LaneProgress, runLaneSet } from './review/run-lanes.ts'

export { composeReviews, type ReviewsInput } from './review/compose-reviews.ts'
export type { HttpCall, Lane, Probe, SpawnCall } from './review/lane.ts'
export type { LaneResult } from './review/lane-result.ts'
export type { PromptPart } from './review/phase-files.ts'
export { planLane, type HttpPlan, type LaneFiles, type LanePlan, type SpawnPlan } from './review/plan-lane.ts'
export type { LaneProgress } from './review/run-lanes.ts'

export interface ReviewOptions {
  /** The user's home. Default `os.homedir()`. */
  readonly home?: string
  /** Global root, where it is not the home. Default `GSD_HOME`, unless `home` is given; else the home. */
  readonly gsdHome?: string
  /** Project folder; without it only the user's defaults count. */
  readonly project?: string | null
}

export interface RunOptions {
  /** Folder of the repository. Default: the working directory. */
  readonly root?: string
  /** Text, or parts that are composed for each lane within its budget. */
  readonly prompt: string | readonly PromptPart[]
  /** Lanes that run at one time. Default 1. */
  readonly jobs?: number
  readonly offline?: boolean
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: LaneProgress) => void
}

/**
 * The reviewer lanes of a registry with their configured values, by the order of their capabilities. `refused` says why
 * one may not run: no consent, a host that nobody agreed to, a handler or placeholder that does not exist.
 * @throws GsdError USAGE_BAD_VALUE
 */
export const resolveLanes = (registry: Registry, options: ReviewOptions = {}): readonly Lane[] => {
  const given = readTextOptions(options as Readonly<Record<string, unknown>>, ['home', 'gsdHome', 'project'])
  const { paths } = libraryPaths(given)
  const layers = readLayers({ project: paths.project?.realRoot ?? null, user: paths.user.config })
  return lanesOf(registry, {
    config: reviewConfig(registry, layers),
    consent: laneConsent(registry, { ...paths, disk: realDisk }),
  })
}

/**
 * Probes and runs lanes; gives a result for each, in their order. A lane that fails is a result, not an error.
 * @throws GsdError INTERRUPTED
 */
export const runLanes = (lanes: readonly Lane[], options: RunOptions): Promise<readonly LaneResult[]> => {
  const { root = workingDirectory(), signal = new AbortController().signal, jobs = 1, offline = false } = options
  return runLaneSet(lanes, {
    prompt: options.prompt,
    root: realPathOf(isAbsolute(root) ? root : resolve(root)),
    jobs: Math.max(1, Math.floor(jobs)),
    offline,
    env: process.env,
    signal,
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  })
}

/** The configuration as lanes need it. */
export const reviewConfig = (registry: Registry, layers: ConfigLayers): ReviewConfig => {
  const whole = configOf(registry, layers)
  const own = configOf(registry, { ...layers, layers: layers.layers.filter(({ origin }) => origin !== 'project') })
  return {
    lookup: (key) => valueOf(whole, key),
    lookupOutsideProject: (key) => valueOf(own, key),
    instances: [...new Set(layers.layers.flatMap(({ values }) => instanceNames(values)))],
  }
}

const valueOf = (config: Config, key: string): ReviewValue | undefined => {
  const found = config.resolved(key)
  return found === null ? undefined : { value: found.value, origin: found.origin }
}

const INSTANCES = 'review.reviewer_instances'

/** Names of instances, whether they are written member by member or as dotted keys. */
const instanceNames = (values: Readonly<Record<string, unknown>>): readonly string[] => {
  const { nested, dotted } = findIn(values, INSTANCES)
  const members = [nested, dotted].flatMap((found) => (isObject(found?.value) ? Object.keys(found.value) : []))
  const keys = Object.keys(values).flatMap((key) => /^review\.reviewer_instances\.([\w-]+)\./.exec(key)?.[1] ?? [])
  return [...members.filter((name) => /^[\w-]+$/.test(name)), ...keys]
}

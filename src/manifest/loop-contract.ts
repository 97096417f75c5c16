/** The twelve points of the loop where a capability can attach, in the order of a run. */
export const POINTS = [
  'discuss:pre',
  'discuss:post',
  'plan:pre',
  'plan:post',
  'execute:pre',
  'execute:wave:pre',
  'execute:wave:post',
  'execute:post',
  'verify:pre',
  'verify:post',
  'ship:pre',
  'ship:post',
] as const

export type Point = (typeof POINTS)[number]

/** The host's steps, each with the roles to which a contribution can go at its points (rule 19). */
const STEP_ROLES = {
  discuss: ['orchestrator'],
  plan: ['researcher', 'planner', 'checker'],
  execute: ['executor', 'verifier'],
  verify: ['orchestrator'],
  ship: ['orchestrator'],
} as const satisfies Record<string, readonly string[]>

export type HostStep = keyof typeof STEP_ROLES

/** A point of the loop. `index` is its index in {@link POINTS}. */
export interface LoopPoint {
  readonly point: Point
  readonly index: number
  readonly step: HostStep
  readonly roles: readonly string[]
}

const loopPoint = (point: Point, index: number): [string, LoopPoint] => {
  const step = point.slice(0, point.indexOf(':')) as HostStep
  return [point, { point, index, step, roles: STEP_ROLES[step] }]
}

/** The contract of the host's loop (rules 18, 19 and 46). */
export const LOOP = {
  points: new Map(POINTS.map(loopPoint)),
  /** Artefact of the host → index of the first point that can consume it: after the step that produces it. */
  availableFrom: new Map([
    ['CONTEXT.md', POINTS.indexOf('discuss:post')],
    ['PLAN.md', POINTS.indexOf('plan:post')],
    ['SUMMARY.md', POINTS.indexOf('execute:post')],
    ['UAT.md', POINTS.indexOf('verify:post')],
  ]),
  /** Role → the host's agent for it; null: the main conversation. */
  roleAgents: new Map<string, string | null>([
    ['researcher', 'gsd-phase-researcher'],
    ['planner', 'gsd-planner'],
    ['checker', 'gsd-plan-checker'],
    ['executor', 'gsd-executor'],
    ['verifier', 'gsd-verifier'],
    ['orchestrator', null],
  ]),
} as const satisfies {
  points: ReadonlyMap<string, LoopPoint>
  availableFrom: ReadonlyMap<string, number>
  roleAgents: ReadonlyMap<string, string | null>
}

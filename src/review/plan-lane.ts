import type { HttpCall, Lane, SpawnCall } from './lane.ts'

/** Where the files of one lane are. */
export interface LaneFiles {
  /** Absolute path of the file with the prompt. */
  readonly prompt: string
  /** Absolute path of the file for an answer. */
  readonly output: string
  /** Absolute folder of the repository. */
  readonly root: string
}

/** What a lane runs: a value that can be printed. */
export type LanePlan = SpawnPlan | HttpPlan

interface PlanHead {
  readonly name: string
  readonly slug: string
  readonly timeoutMs: number
}

export interface SpawnPlan extends PlanHead {
  readonly transport: 'spawn'
  readonly program: string
  /** Where the text of the prompt itself is an argument, null is in its place. */
  readonly args: readonly (string | null)[]
  readonly env: Readonly<Record<string, string>>
  readonly prompt: SpawnCall['promptChannel']
  readonly output: 'stdout' | 'file'
  /** The program decides where it sends what it reads. */
  readonly egress: null
}

export interface HttpPlan extends PlanHead {
  readonly transport: 'openai-http'
  readonly url: string
  /** Where the first model is read from, if no model is configured; else null. */
  readonly modelsUrl: string | null
  /** The configured model, else the fallback. */
  readonly model: string | null
  /** The host that the prompt is sent to. */
  readonly egress: string
}

/** Effort as arguments, by program. Programs that are not listed take none. */
const EFFORT_ARGS: Readonly<Record<string, (level: string) => readonly string[]>> = {
  codex: (level) => ['-c', `model_reasoning_effort=${level}`],
  claude: (level) => ['--effort', level],
  opencode: (level) => ['--variant', level],
}

/** Effort as an environment variable, by program. */
const EFFORT_ENV: Readonly<Record<string, string>> = { claude: 'CLAUDE_CODE_EFFORT_LEVEL' }

/** The argument that names an agent of the program. */
const AGENT_ARGS: Readonly<Record<string, string>> = { opencode: '--agent' }

/** Whether an instance of a lane can name an agent. */
export const takesAgent = ({ call }: Pick<Lane, 'call'>): boolean =>
  call.transport === 'spawn' && Object.hasOwn(AGENT_ARGS, call.binary)

/** What a lane runs. Pure: placeholders become zero, one or two whole arguments, and nothing passes through a shell. */
export const planLane = (lane: Lane, files: LaneFiles): LanePlan => {
  const head: PlanHead = { name: lane.name, slug: lane.slug, timeoutMs: lane.timeoutMs }
  return lane.call.transport === 'spawn'
    ? { ...head, ...planProgram(lane, lane.call, files) }
    : { ...head, ...planRequest(lane, lane.call) }
}

const planProgram = (lane: Lane, call: SpawnCall, files: LaneFiles): Omit<SpawnPlan, keyof PlanHead> => {
  const { binary, effortChannel } = call
  const variable = effortChannel === 'env' && Object.hasOwn(EFFORT_ENV, binary) ? EFFORT_ENV[binary] : undefined
  return {
    transport: 'spawn',
    program: binary,
    args: call.args.flatMap((arg) => argsFor(arg, lane, { call, files })),
    env: { ...call.env, ...(variable === undefined || lane.effort === null ? {} : { [variable]: lane.effort }) },
    prompt: call.promptChannel,
    output: call.outputChannel === 'file-arg' ? 'file' : 'stdout',
    egress: null,
  }
}

const argsFor = (
  arg: string,
  lane: Lane,
  { call, files }: { readonly call: SpawnCall; readonly files: LaneFiles },
): readonly (string | null)[] => {
  switch (arg) {
    case '{{model}}':
      return [...withFlag(call.modelArg, lane.model), ...withFlag(agentFlag(call), lane.agent)]
    case '{{effort}}':
      return effortArgs(call, lane.effort)
    case '{{output}}':
      return call.outputChannel === 'file-arg' ? withFlag(call.outputArg, files.output) : []
    case '{{prompt}}':
      return promptArgs(call.promptChannel, files)
    case '{{nativeTimeout}}':
      return [`${Math.max(1, Math.floor((lane.timeoutMs * NATIVE_SHARE) / 1000))}s`]
    default:
      return [arg]
  }
}

/** The program's own limit comes first, so that it can still say what it has. */
const NATIVE_SHARE = 0.9

const withFlag = (flag: string | null, value: string | null): readonly string[] =>
  value === null ? [] : flag === null ? [value] : [flag, value]

const agentFlag = ({ binary }: SpawnCall): string | null =>
  Object.hasOwn(AGENT_ARGS, binary) ? (AGENT_ARGS[binary] ?? null) : null

const effortArgs = ({ effortChannel, binary }: SpawnCall, level: string | null): readonly string[] => {
  if (effortChannel !== 'argv' || level === null || !Object.hasOwn(EFFORT_ARGS, binary)) return []
  return EFFORT_ARGS[binary]?.(level) ?? []
}

const promptArgs = (channel: SpawnCall['promptChannel'], files: LaneFiles): readonly (string | null)[] => {
  if (channel === 'argv') return [null]
  if (channel !== 'argv-file-ref') return []
  return [
    `Read the file ${files.prompt} and write the review that it asks for. The repository is ${files.root}. Change no file.`,
  ]
}

const planRequest = (lane: Lane, call: HttpCall): Omit<HttpPlan, keyof PlanHead> => {
  const base = (call.host ?? '').replace(/\/+$/, '')
  return {
    transport: 'openai-http',
    url: `${base}${call.path}`,
    modelsUrl: lane.model === null && call.discoversModel ? `${base}/v1/models` : null,
    model: lane.model ?? call.fallbackModel,
    egress: call.host ?? '',
  }
}

/** Value types of a central key; `null` in a type means that the key can be unset by writing null. */
export type CentralKeyType =
  | 'enum'
  | 'boolean|object'
  | 'boolean'
  | 'string|boolean|null'
  | 'number'
  | 'string|null'
  | 'object[]'
  | 'string'
  | 'string[]'
  | 'string[]|null'
  | 'number|null'
  | 'object'
  | 'object|null'
  | 'enum|null'

/** A configuration key that belongs to the program itself. */
export interface CentralKey {
  readonly type: CentralKeyType
  readonly default: unknown
  /** Of enums, and where only certain strings make sense. */
  readonly values?: readonly string[]
}

/** Every fixed central key with its type and default. No capability may declare one of these (rule 43). */
export const CENTRAL_KEYS: ReadonlyMap<string, CentralKey> = new Map<string, CentralKey>([
  ['mode', { type: 'enum', default: 'interactive', values: ['interactive', 'yolo'] }],
  ['granularity', { type: 'enum', default: 'standard', values: ['coarse', 'standard', 'fine'] }],
  ['parallelization', { type: 'boolean|object', default: true }],
  ['commit_docs', { type: 'boolean', default: true }],
  [
    'model_profile',
    { type: 'enum', default: 'balanced', values: ['quality', 'balanced', 'budget', 'adaptive', 'inherit'] },
  ],
  ['search_gitignored', { type: 'boolean', default: false }],
  ['brave_search', { type: 'string|boolean|null', default: false }],
  ['firecrawl', { type: 'string|boolean|null', default: false }],
  ['exa_search', { type: 'string|boolean|null', default: false }],
  ['tavily_search', { type: 'string|boolean|null', default: null }],
  ['ref_search', { type: 'string|boolean|null', default: null }],
  ['perplexity', { type: 'string|boolean|null', default: null }],
  ['jina', { type: 'string|boolean|null', default: true }],
  ['workflow.plan_check', { type: 'boolean', default: true }],
  ['workflow.verifier', { type: 'boolean', default: true }],
  ['workflow.auto_advance', { type: 'boolean', default: false }],
  ['workflow.node_repair', { type: 'boolean', default: true }],
  ['workflow.node_repair_budget', { type: 'number', default: 2 }],
  ['workflow.smart_zone_tokens', { type: 'number', default: 100000 }],
  ['workflow.human_verify_mode', { type: 'enum', default: 'end-of-phase', values: ['end-of-phase', 'mid-flight'] }],
  ['workflow.text_mode', { type: 'boolean', default: false }],
  ['workflow.compact_content', { type: 'boolean', default: false }],
  ['workflow.research_before_questions', { type: 'boolean', default: false }],
  ['workflow.discuss_mode', { type: 'enum', default: 'discuss', values: ['discuss', 'assumptions'] }],
  ['workflow.skip_discuss', { type: 'boolean', default: false }],
  ['workflow.auto_prune_state', { type: 'boolean', default: false }],
  ['workflow.use_worktrees', { type: 'boolean', default: true }],
  ['workflow.worktree_skip_hooks', { type: 'boolean', default: false }],
  ['workflow.code_review_command', { type: 'string|null', default: null }],
  ['workflow.code_review_depth_overrides', { type: 'object[]', default: [] }],
  ['workflow.plan_bounce', { type: 'boolean', default: false }],
  ['workflow.plan_bounce_script', { type: 'string|null', default: null }],
  ['workflow.plan_bounce_passes', { type: 'number', default: 2 }],
  ['workflow.plan_chunked', { type: 'boolean', default: false }],
  ['workflow.specless_probe_fallback', { type: 'boolean', default: null }],
  ['workflow.plan_review_convergence', { type: 'boolean', default: false }],
  ['workflow.agent_hint_routing', { type: 'boolean', default: true }],
  ['code_quality.fallow.enabled', { type: 'boolean', default: false }],
  ['code_quality.fallow.scope', { type: 'enum', default: 'phase', values: ['phase', 'repo'] }],
  ['code_quality.fallow.profile', { type: 'enum', default: 'standard', values: ['minimal', 'standard', 'strict'] }],
  ['code_quality.fallow.mcp', { type: 'boolean', default: false }],
  ['ship.pr_body_sections', { type: 'object[]', default: [] }],
  ['git.branching_strategy', { type: 'enum', default: 'none', values: ['none', 'phase', 'milestone'] }],
  ['git.base_branch', { type: 'string|null', default: null }],
  ['git.protected_branches', { type: 'string[]', default: [] }],
  ['git.allow_default_branch_commits', { type: 'boolean', default: false }],
  ['git.create_tag', { type: 'boolean', default: true }],
  ['git.phase_branch_template', { type: 'string', default: 'gsd/phase-{phase}-{slug}' }],
  ['git.milestone_branch_template', { type: 'string', default: 'gsd/{milestone}-{slug}' }],
  ['git.quick_branch_template', { type: 'string|null', default: null }],
  ['planning.commit_docs', { type: 'boolean', default: true }],
  ['planning.pr_strict', { type: 'boolean', default: false }],
  ['planning.search_gitignored', { type: 'boolean', default: false }],
  ['planning.sub_repos', { type: 'string[]', default: [] }],
  ['planning.chunked_parallel', { type: 'boolean', default: false }],
  ['agent_tools', { type: 'object|null', default: null }],
  ['review.default_reviewers', { type: 'string[]|null', default: null }],
  ['review.max_prompt_tokens', { type: 'number|null', default: null }],
  ['review.max_prompt_tokens_per_reviewer', { type: 'object', default: {} }],
  ['review.parallel_lanes', { type: 'boolean', default: false }],
  ['workflow.cross_ai_execution', { type: 'boolean', default: false }],
  ['workflow.cross_ai_command', { type: 'string|null', default: null }],
  ['workflow.cross_ai_timeout', { type: 'number', default: 300 }],
  ['workflow.subagent_timeout', { type: 'number', default: 300000 }],
  ['workflow.test_gate_timeout', { type: 'number', default: 600 }],
  ['workflow.test_command', { type: 'string|null', default: null }],
  ['workflow.build_command', { type: 'string|null', default: null }],
  ['workflow.mvp_mode', { type: 'boolean', default: false }],
  ['workflow.context_guard_mode', { type: 'enum', default: 'warn', values: ['warn', 'auto', 'off'] }],
  ['executor.stall_detect_interval_minutes', { type: 'number', default: 5 }],
  ['executor.stall_threshold_minutes', { type: 'number', default: 10 }],
  ['planner.stall_detect_interval_minutes', { type: 'number', default: 5 }],
  ['planner.stall_threshold_minutes', { type: 'number', default: 10 }],
  ['workflow.inline_plan_threshold', { type: 'number', default: 3 }],
  ['hooks.context_warnings', { type: 'boolean', default: true }],
  ['hooks.context_warning_threshold', { type: 'number', default: 35 }],
  ['hooks.context_critical_threshold', { type: 'number', default: 25 }],
  ['hooks.workflow_guard', { type: 'boolean', default: false }],
  ['hooks.commit_types', { type: 'string[]', default: [] }],
  ['hooks.community', { type: 'boolean', default: false }],
  ['workflow.context_coverage_gate', { type: 'boolean', default: true }],
  ['statusline.show_last_command', { type: 'boolean', default: false }],
  ['statusline.context_position', { type: 'enum', default: 'end', values: ['end', 'front'] }],
  ['statusline.show_context_tokens', { type: 'boolean', default: false }],
  ['statusline.state_format', { type: 'enum', default: 'full', values: ['full', 'compact'] }],
  ['statusline.show_git', { type: 'boolean', default: false }],
  ['statusline.show_state_freshness', { type: 'boolean', default: false }],
  ['workflow.max_discuss_passes', { type: 'number', default: 3 }],
  ['features.thinking_partner', { type: 'boolean', default: false }],
  ['context', { type: 'enum|null', default: null, values: ['dev', 'research', 'review'] }],
  ['features.global_learnings', { type: 'boolean', default: false }],
  ['learnings.max_inject', { type: 'number', default: 10 }],
  ['project_code', { type: 'string|null', default: null }],
  ['phase_id_convention', { type: 'enum|null', default: null, values: ['milestone-prefixed'] }],
  ['phase_naming', { type: 'string', default: 'sequential' }],
  ['manager.flags.discuss', { type: 'string|null', default: null }],
  ['manager.flags.plan', { type: 'string|null', default: null }],
  ['manager.flags.execute', { type: 'string|null', default: null }],
  ['response_language', { type: 'string|null', default: null }],
  ['context_window', { type: 'number', default: 200000 }],
  ['graphify.build_timeout', { type: 'number', default: 300 }],
  ['graphify.auto_update', { type: 'boolean', default: false }],
  ['graphify.graph_path', { type: 'string|null', default: null }],
  ['claude_md_path', { type: 'string', default: './.claude/CLAUDE.md' }],
  ['claude_md_assembly.mode', { type: 'enum', default: 'embed', values: ['embed', 'link'] }],
  ['runtime', { type: 'string|null', default: null }],
  ['resolve_model_ids', { type: 'boolean', default: false }],
  ['effort.default', { type: 'enum', default: 'high', values: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'] }],
  ['fast_mode.enabled', { type: 'boolean', default: false }],
  ['plan_review.source_grounding', { type: 'boolean', default: true }],
  [
    'plan_review.source_grounding_authority',
    { type: 'enum', default: 'grep', values: ['grep', 'intel', 'treesitter', 'lsp', 'scip'] },
  ],
  [
    'model_policy.provider',
    {
      type: 'string|null',
      default: null,
      values: ['openai', 'anthropic', 'anthropic-fable', 'google', 'qwen', 'generic'],
    },
  ],
  ['model_policy.budget', { type: 'enum|null', default: null, values: ['high', 'medium', 'low'] }],
  ['model_policy.high', { type: 'string|null', default: null }],
  ['model_policy.medium', { type: 'string|null', default: null }],
  ['model_policy.low', { type: 'string|null', default: null }],
  ['agent_skills_security.trusted_global_roots', { type: 'string[]', default: [] }],
  ['capabilities.strict_known_registries', { type: 'string[]|null', default: null }],
  ['capabilities.auto_update', { type: 'boolean', default: false }],
  ['security.injection_blocking', { type: 'boolean', default: false }],
])

/** Keys for the state of a run; central, but not set by hand. */
export const RUN_STATE_KEYS: ReadonlySet<string> = new Set(['workflow._auto_chain_active'])

/** Families of central keys with a free part. */
export const CENTRAL_KEY_PATTERNS: readonly RegExp[] = [
  /^agent_tools\.(\*|[a-zA-Z0-9_-]+)$/,
  /^agent_skills\.[a-zA-Z0-9_-]+$/,
  /^features\.[a-zA-Z0-9_]+$/,
  /^claude_md_assembly\.blocks\.[a-zA-Z0-9_]+$/,
  /^model_profile_overrides\.[a-zA-Z0-9_-]+\.(opus|sonnet|haiku)$/,
  /^models\.(planning|discuss|research|execution|verification|completion)$/,
  /^granularities\.(planning|discuss|research|execution|verification|completion)$/,
  /^dynamic_routing\.(enabled|escalate_on_failure|max_escalations|provider_escalation|tier_models\.(light|standard|heavy))$/,
  /^model_overrides\.[a-zA-Z0-9_-]+$/,
  /^effort\.routing_tier_defaults\.(light|standard|heavy)$/,
  /^effort\.agent_overrides\.[a-zA-Z0-9_-]+$/,
  /^fast_mode\.routing_tier_defaults\.(light|standard|heavy)$/,
  /^fast_mode\.agent_overrides\.[a-zA-Z0-9_-]+$/,
  /^review\.reviewer_instances\.[a-zA-Z0-9_-]+\.(cli|model|agent)$/,
  /^model_policy\.runtime_tiers\.[a-zA-Z0-9_-]+\.(opus|sonnet|haiku)$/,
  /^phase_commit_docs\.\d+[A-Z]?(?:\.\d+)*$/,
]

/** The patterns by their first segment, so that few keys are tested against any. */
const PATTERNS_BY_START = new Map<string, RegExp[]>()
for (const pattern of CENTRAL_KEY_PATTERNS) {
  const start = /^\^([a-z_]+)/.exec(pattern.source)?.[1] ?? ''
  PATTERNS_BY_START.set(start, [...(PATTERNS_BY_START.get(start) ?? []), pattern])
}

/** Whether a key belongs to the program: a fixed one, one of a family, or one of the run state (rules 22, 40, 43). */
export const isCentralKey = (key: string): boolean =>
  CENTRAL_KEYS.has(key) ||
  RUN_STATE_KEYS.has(key) ||
  (PATTERNS_BY_START.get(key.slice(0, key.indexOf('.')))?.some((pattern) => pattern.test(key)) ?? false)

const CENTRAL_PARENTS: ReadonlySet<string> = new Set(
  [...CENTRAL_KEYS.keys(), ...CENTRAL_KEY_PATTERNS.map((pattern) => fixedPrefix(pattern))].flatMap(parentsOf),
)

/** Whether a central key is below this one, so that it would be a value and an object at once (rule 16). */
export const hasCentralKeyBelow = (key: string): boolean => CENTRAL_PARENTS.has(key)

/** The parents of a dotted key, by whole segments: `a.b.c` → `a`, `a.b`. */
export function parentsOf(key: string): string[] {
  const parents: string[] = []
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) parents.push(key.slice(0, dot))
  return parents
}

/** The segments of a pattern before the first free one, and `*` for that. */
function fixedPrefix(pattern: RegExp): string {
  const fixed = /^\^((?:[a-z_]+\\\.)+)/.exec(pattern.source)?.[1] ?? ''
  return `${fixed.replaceAll('\\.', '.')}*`
}

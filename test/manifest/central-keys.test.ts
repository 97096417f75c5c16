import { describe, expect, it } from 'vitest'
import { CENTRAL_KEYS, hasCentralKeyBelow, isCentralKey, parentsOf } from '../../src/manifest/central-keys.ts'
import { CONFIG_KEY } from '../../src/manifest/grammar.ts'
import { LOOP, POINTS } from '../../src/manifest/loop-contract.ts'

describe('a central key', () => {
  it.each([
    'mode',
    'workflow.verifier',
    'workflow._auto_chain_active',
    'agent_skills.Some-Agent_1',
    'features.anything',
    'claude_md_assembly.blocks.intro',
    'model_profile_overrides.codex.opus',
    'models.planning',
    'dynamic_routing.tier_models.light',
    'effort.agent_overrides.gsd-planner',
    'review.reviewer_instances.second.model',
    'model_policy.runtime_tiers.qwen.haiku',
  ])('is %s', (key) => {
    expect(isCentralKey(key)).toBe(true)
  })

  it.each([
    'workflow',
    'workflow.ui_phase',
    'features',
    'features.a.b',
    'models.other',
    'agent_skills',
    'agent_skills.',
    'xfeatures.a',
    'featuresx',
    'toString',
    '__proto__',
    '',
  ])('is not %s', (key) => {
    expect(isCentralKey(key)).toBe(false)
  })

  it('has a default that one of its types allows', () => {
    for (const [key, { type, default: standard, values }] of CENTRAL_KEYS) {
      const kind = standard === null ? 'null' : Array.isArray(standard) ? 'array' : typeof standard
      const allowed = type.split('|').map((one) => (one.endsWith('[]') ? 'array' : one === 'enum' ? 'string' : one))
      // One key has no default at all.
      if (key !== 'workflow.specless_probe_fallback')
        expect([key, allowed]).toEqual([key, expect.arrayContaining([kind])])
      if (type.startsWith('enum') && standard !== null)
        expect([key, values]).toEqual([key, expect.arrayContaining([standard])])
    }
  })

  it('matches the grammar of a declared key', () => {
    for (const key of CENTRAL_KEYS.keys()) expect(key).toMatch(CONFIG_KEY)
  })
})

describe('a key above central ones', () => {
  it.each([
    'workflow',
    'code_quality.fallow',
    'agent_skills',
    'claude_md_assembly.blocks',
    'model_policy.runtime_tiers',
  ])('is %s, which must stay an object', (key) => {
    expect(hasCentralKeyBelow(key)).toBe(true)
  })

  it.each(['workflow.verifier', 'mode', 'own', 'workflow.own'])('is not %s', (key) => {
    expect(hasCentralKeyBelow(key)).toBe(false)
  })

  it('is found by whole segments', () => {
    expect(parentsOf('a.b.c')).toEqual(['a', 'a.b'])
    expect(parentsOf('a')).toEqual([])
  })
})

describe('the loop', () => {
  it('has twelve points in order, each with roles that an agent or the main conversation has', () => {
    expect([...LOOP.points.keys()]).toEqual([...POINTS])
    expect(LOOP.points.get('execute:wave:post')).toEqual({
      point: 'execute:wave:post',
      index: 6,
      step: 'execute',
      roles: ['executor', 'verifier'],
    })
    for (const { roles } of LOOP.points.values()) for (const role of roles) expect(LOOP.roleAgents.has(role)).toBe(true)
  })

  it('makes the artefact of a step available from the end of that step', () => {
    expect([...LOOP.availableFrom].map(([artefact, index]) => `${artefact} ${POINTS[index]}`)).toEqual([
      'CONTEXT.md discuss:post',
      'PLAN.md plan:post',
      'SUMMARY.md execute:post',
      'UAT.md verify:post',
    ])
  })
})

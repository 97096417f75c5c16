import { compareUtf8 } from '../../bundle/byte-order.ts'
import type { Stack, StackSkill } from './stack.ts'

export interface StackDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Ids in both whose content or labels differ, with the fields that do. */
  readonly changed: readonly { readonly id: string; readonly fields: readonly string[] }[]
  readonly unchanged: readonly string[]
}

const FIELDS = ['digest', 'path', 'risk', 'source'] as const

/** What one stack has that another has not, by content; ids in byte order. */
export const diffStacks = (before: Stack, after: Stack): StackDiff => {
  const old = byId(before)
  const now = byId(after)
  const both = [...now.values()].flatMap((skill) => {
    const was = old.get(skill.id)
    return was === undefined ? [] : [{ id: skill.id, fields: FIELDS.filter((field) => was[field] !== skill[field]) }]
  })
  return {
    added: [...now.keys()].filter((id) => !old.has(id)).sort(compareUtf8),
    removed: [...old.keys()].filter((id) => !now.has(id)).sort(compareUtf8),
    changed: both.filter(({ fields }) => fields.length > 0).sort((a, b) => compareUtf8(a.id, b.id)),
    unchanged: both.flatMap(({ id, fields }) => (fields.length === 0 ? [id] : [])).sort(compareUtf8),
  }
}

const byId = ({ skills }: Stack): ReadonlyMap<string, StackSkill> => new Map(skills.map((skill) => [skill.id, skill]))

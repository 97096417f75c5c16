import { GsdError } from '../errors.ts'
import { LOOP, POINTS, type LoopPoint } from '../manifest/loop-contract.ts'
import { nearestWord } from '../nearest-word.ts'
import { quote } from '../redact.ts'

/** The point of that name. @throws GsdError USAGE_BAD_VALUE with the nearest point */
export const loopPoint = (name: string): LoopPoint => {
  const point = LOOP.points.get(name)
  if (point !== undefined) return point
  const near = nearestWord(name, POINTS)
  throw new GsdError('USAGE_BAD_VALUE', `unknown loop point ${quote(name)}`, {
    hint: near === null ? `the points are: ${POINTS.join(', ')}` : `did you mean ${near}?`,
    details: { points: POINTS },
  })
}

/** A role of a point. @throws GsdError USAGE_BAD_VALUE for a role that the point does not have */
export const roleOf = ({ point, roles }: LoopPoint, name: string): string => {
  if (roles.includes(name)) return name
  throw new GsdError('USAGE_BAD_VALUE', `${point} has no role ${quote(name)}`, {
    hint: `its roles are: ${roles.join(', ')}`,
  })
}

/** Host artefacts that can be consumed at a point, in the order in which the loop makes them. */
export const artifactsAt = ({ index }: LoopPoint): readonly string[] =>
  [...LOOP.availableFrom].filter(([, from]) => from <= index).map(([name]) => name)

import { surfaceName, type ChangedSurface, type Difference } from '../../trust/compare-surfaces.ts'
import { formatFileName } from '../../trust/hidden-text/hidden-finding.ts'

/** How a capability differs from what was let in before, as lines: what it runs first, then its files. */
export const differenceLines = ({ from, surfaces, files }: Difference): readonly string[] => {
  const lines = [
    ...surfaces.came.map((surface) => `new: ${surfaceName(surface)}`),
    ...surfaces.went.map((surface) => `gone: ${surfaceName(surface)}`),
    ...surfaces.changed.flatMap(changedLines),
    ...fileLine('new files', files.added),
    ...fileLine('files gone', files.removed),
    ...fileLine('files changed', files.changed),
  ]
  return lines.length === 0
    ? [`the same as ${from}, which you let in before`]
    : [`differs from ${from}, which you let in before:`, ...lines.map((line) => `  ${line}`)]
}

const changedLines = ({ surface, members }: ChangedSurface): string[] => [
  `changed: ${surface}`,
  ...members.map(({ member, before, after }) => `  ${member}: ${valueShown(before)} → ${valueShown(after)}`),
]

const MAX_HASH_LENGTH = 16

const valueShown = (value: unknown): string => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'string' && /^[0-9a-f]{128}$/.test(value)) return `${value.slice(0, MAX_HASH_LENGTH)}…`
  return JSON.stringify(value)
}

const MAX_PATHS = 20

const fileLine = (what: string, paths: readonly string[]): string[] => {
  if (paths.length === 0) return []
  const more = paths.length > MAX_PATHS ? ` and ${paths.length - MAX_PATHS} more` : ''
  return [`${what}: ${paths.slice(0, MAX_PATHS).map(formatFileName).join(', ')}${more}`]
}

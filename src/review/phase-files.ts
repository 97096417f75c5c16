import { existsSync, lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { errnoOf, GsdError } from '../errors.ts'
import { diskError } from '../platform/disk-error.ts'
import { isInside } from '../platform/real-path.ts'
import { readTextFile } from '../platform/text-file.ts'
import { quote } from '../redact.ts'

export type PartKind = 'project' | 'roadmap' | 'requirements' | 'context' | 'research' | 'plan'

/** A file that goes into the prompt. */
export interface PromptPart {
  readonly kind: PartKind
  /** As reviewers see it: below the project, or the name in the phase folder. */
  readonly label: string
  readonly text: string
}

/** What is read of a phase. */
export interface Phase {
  /** Real path of its folder. */
  readonly dir: string
  /** `03`, `02.1`; null where neither folder nor plans are numbered. */
  readonly number: string | null
  readonly parts: readonly PromptPart[]
  /** Names of the plans in `parts`. */
  readonly plans: readonly string[]
  readonly warnings: readonly Diagnostic[]
}

const MAX_FILE = 1024 * 1024
const MAX_TOTAL = 8 * 1024 * 1024

/**
 * Reads a phase folder and the files of the project that a review needs. A file that is a link, too long or not UTF-8 is
 * left out with a warning, because what is read leaves this machine.
 * @throws GsdError USAGE_BAD_VALUE without the folder, STATE_LINKED when it leads out of the project, STATE_NO_PLAN
 */
export const readPhase = (dir: string, root: string): Phase => {
  const real = realFolder(dir, root)
  const warnings: Diagnostic[] = []
  let left = MAX_TOTAL
  const read = (file: string): string | null => {
    const text = readPart(file, { root, left, warnings })
    left -= text === null ? 0 : Buffer.byteLength(text)
    return text
  }
  const names = readdirSync(real).sort()
  const parts: PromptPart[] = []
  const add = (kind: PartKind, label: string, text: string | null): void => {
    if (text !== null && text.trim() !== '') parts.push({ kind, label, text })
  }
  for (const name of names.filter((it) => it.endsWith('-PLAN.md') || it === 'PLAN.md'))
    add('plan', name, read(join(real, name)))
  const plans = parts.map(({ label }) => label)
  if (plans.length === 0)
    throw new GsdError('STATE_NO_PLAN', `${quote(dir)} has no plan that can be read`, {
      hint: `put a file such as 01-01-PLAN.md into it${warnings[0] === undefined ? '' : `; ${warnings[0].message}`}`,
    })
  const number = phaseNumber(real, plans)
  for (const name of names.filter((it) => it.endsWith('-CONTEXT.md'))) add('context', name, read(join(real, name)))
  for (const name of names.filter((it) => it.endsWith('-RESEARCH.md'))) add('research', name, read(join(real, name)))
  const planning = (name: string): string | null => read(join(root, '.planning', name))
  add('project', '.planning/PROJECT.md', firstLines(planning('PROJECT.md')))
  add('roadmap', '.planning/ROADMAP.md', roadmapPart(planning('ROADMAP.md'), number))
  add('requirements', '.planning/REQUIREMENTS.md', planning('REQUIREMENTS.md'))
  return { dir: real, number, parts, plans, warnings }
}

const PROJECT_LINES = 80

const firstLines = (text: string | null): string | null =>
  text === null ? null : text.split('\n').slice(0, PROJECT_LINES).join('\n')

const realFolder = (dir: string, root: string): string => {
  let real: string
  try {
    real = realpathSync(dir)
  } catch (error) {
    const code = errnoOf(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw diskError(error, 'read', dir)
    throw new GsdError('USAGE_BAD_VALUE', `--phase-dir ${quote(dir)} does not exist`, {
      hint: 'name the folder of a phase, such as .planning/phases/01-setup',
    })
  }
  if (!isInside(real, root))
    throw new GsdError('STATE_LINKED', `--phase-dir ${quote(dir)} is outside the project ${quote(root)}`, {
      hint: 'name a folder of the project, or the project with --project',
    })
  if (!lstatSync(real).isDirectory())
    throw new GsdError('USAGE_BAD_VALUE', `--phase-dir ${quote(dir)} is not a folder`, {
      hint: 'name the folder of a phase, such as .planning/phases/01-setup',
    })
  return real
}

interface ReadLimits {
  readonly root: string
  readonly left: number
  readonly warnings: Diagnostic[]
}

/** Null for a file that does not exist or is left out. */
const readPart = (file: string, { root, left, warnings }: ReadLimits): string | null => {
  const leaveOut = (reason: string): null => {
    const name = file.slice(root.length + 1)
    warnings.push(
      diagnostic('warning', 'STATE_NOT_REVIEWED', `${quote(name)} is left out of the review: ${reason}`, {
        file,
        hint: 'correct the file, or review without it',
      }),
    )
    return null
  }
  const stats = lstatOrNull(file)
  if (stats === null) return null
  // A link could lead to a file that nobody wants to send.
  if (!isInside(existsSync(file) ? realpathSync(file) : file, root)) return leaveOut('it leads out of the project')
  if (stats.isSymbolicLink()) return leaveOut('it is a link')
  const found = readTextFile(file, Math.min(MAX_FILE, left))
  if (found.state === 'absent') return null
  if (found.state === 'ok') return found.text.replaceAll('\r\n', '\n')
  return leaveOut(left < MAX_FILE ? `with it the prompt is longer than ${MAX_TOTAL} bytes` : found.reason)
}

const lstatOrNull = (file: string): Stats | null => {
  try {
    return lstatSync(file)
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw diskError(error, 'inspect', file)
  }
}

const NUMBER = /^(\d+(?:\.\d+)*)(?:-|$)/

const phaseNumber = (dir: string, plans: readonly string[]): string | null =>
  NUMBER.exec(basename(dir))?.[1] ?? NUMBER.exec(plans[0] ?? '')?.[1] ?? null

/** The section of the phase, from its heading to the next one of its level; the whole text where it has none. */
const roadmapPart = (text: string | null, number: string | null): string | null => {
  if (text === null || number === null) return text
  const plain = number.replace(/^0+(?=\d)/, '').replaceAll('.', String.raw`\.`)
  const lines = text.split('\n')
  const start = lines.findIndex((line) =>
    new RegExp(`^#{1,6}\\s.*\\bPhase\\s+0*${plain}(?![\\d.]*\\d)`, 'i').test(line),
  )
  if (start === -1) return text
  const level = /^#+/.exec(lines[start] ?? '')?.[0].length ?? 1
  const end = lines.findIndex((line, at) => at > start && (/^#+(?=\s)/.exec(line)?.[0].length ?? 7) <= level)
  return lines.slice(start, end === -1 ? undefined : end).join('\n')
}

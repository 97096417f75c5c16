import type { Predicate } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import { artifactFiles } from './artifact-files.ts'
import { runCommand } from './command.ts'
import { fieldOf, readFrontmatter } from './frontmatter.ts'
import type { GateInput, PredicateInput } from './gate-input.ts'
import { block, pass, type Outcome } from './outcome.ts'
import { sameValue, sameWritten } from './same-value.ts'

type Kind = Predicate['kind']
type Of<K extends Kind> = Extract<Predicate, { kind: K }>

/** Evaluates a predicate whose shape was checked (rule 20; loop page, "Gates"). */
export const evaluate = (predicate: Predicate, input: PredicateInput): Promise<Outcome> =>
  KINDS[predicate.kind](predicate as never, input)

const KINDS = {
  'artifact-exists': ({ artifact }, input) => {
    const [file] = artifactFiles(artifact, input)
    const outcome =
      file === undefined
        ? block(`there is no ${quote(artifact)} ${whereOf(input)}`, { artifactNotFound: true })
        : pass(`${quote(artifact)} is there`, { file })
    return Promise.resolve(outcome)
  },

  'config-equals': ({ key, equals }, { config }) => {
    const resolved = config.resolved(key)
    if (resolved === null)
      return Promise.resolve(block(`the configuration has no key ${quote(key)}`, { unknownKey: true }))
    const { value = null, origin } = resolved
    const details = { value, origin, match: sameValue(value, equals) }
    return Promise.resolve(
      details.match
        ? pass(`${key} is ${quote(value)} (${origin})`, details)
        : block(`${key} is ${quote(value)} (${origin}) and must be ${quote(equals)}`, details),
    )
  },

  'artifact-frontmatter-equals': async ({ artifact, field, equals }, input) => {
    const [file] = artifactFiles(artifact, input)
    if (file === undefined) return block(`there is no ${quote(artifact)} ${whereOf(input)}`, { artifactNotFound: true })
    const frontmatter = await readFrontmatter(file)
    if (frontmatter.kind !== 'ok')
      return block(`${quote(file)} ${frontmatter.reason}`, { file, frontmatter: frontmatter.kind })
    const value = fieldOf(frontmatter.value, field)
    if (value === undefined) return block(`${quote(file)} has no field ${quote(field)}`, { file, fieldNotFound: true })
    return sameWritten(value, equals, frontmatter.written(field))
      ? pass(`${field} is ${shown(value)} in ${quote(file)}`, { file, match: true })
      : block(`${field} is ${shown(value)} in ${quote(file)} and must be ${quote(equals)}`, { file, match: false })
  },

  'command-exit-zero': ({ command, timeout }, input) => runCommand({ command, timeout }, input),
} as const satisfies { readonly [K in Kind]: (predicate: Of<K>, input: PredicateInput) => Promise<Outcome> }

const shown = (value: unknown): string =>
  value instanceof Map ? 'an object' : Array.isArray(value) ? 'a list' : quote(value)

const whereOf = ({ phaseDir, project }: GateInput): string => {
  const places = [...(phaseDir === null ? [] : [phaseDir]), ...(project === null ? [] : [project])]
  return places.length === 0
    ? 'since neither a phase folder nor a project is known'
    : `in ${places.map(quote).join(' or ')}`
}

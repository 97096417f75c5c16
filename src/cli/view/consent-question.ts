import { surfaceName } from '../../trust/compare-surfaces.ts'
import type { Disclosure } from '../../trust/disclosure.ts'
import { visible } from './code-text.ts'
import { countText } from './view.ts'

const MAX_SURFACES = 5

/** The question before consent: which capability, and what yes allows. */
export const consentQuestion = (disclosures: readonly Disclosure[]): string =>
  visible(`Allow ${disclosures.map(allowed).join(', and ')}?`)

const allowed = ({ id, version, surfaces, skills, agents, fragments }: Disclosure): string => {
  const names = surfaces.map((surface) => surfaceName({ ...surface }))
  const shown = names.slice(0, MAX_SURFACES).join(', ')
  const more = names.length > MAX_SURFACES ? ` and ${names.length - MAX_SURFACES} more` : ''
  const text = [
    ...(skills.length > 0 ? [countText(skills.length, 'skill')] : []),
    ...(agents.length > 0 ? [countText(agents.length, 'agent')] : []),
    ...(fragments.length > 0 ? ['prompt text'] : []),
  ].join(', ')
  if (names.length === 0) return `${id} ${version} to instruct your agents${text === '' ? '' : ` (${text})`}`
  return `${id} ${version} to run or send, with your rights: ${shown}${more}${text === '' ? '' : `; and to instruct your agents (${text})`}`
}

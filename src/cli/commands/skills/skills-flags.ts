import { GsdError } from '../../../errors.ts'
import { quote } from '../../../redact.ts'
import type { Flags } from '../../command.ts'

/** Flags of every command over a skills root. */
export const ROOT_FLAGS = {
  'skills-root': {
    kind: 'text',
    value: '<dir>',
    summary: 'folder with skills_index.json (default: SKILLS_ROOT, else the working directory)',
  },
  installed: { kind: 'switch', summary: 'skills of installed capabilities too' },
} as const satisfies Flags

/** A whole number given to a flag; undefined where it was not given. @throws GsdError USAGE_BAD_VALUE */
export const wholeNumber = (flag: string, text: string | undefined, least: number): number | undefined => {
  if (text === undefined) return undefined
  const value = /^\d{1,9}$/.test(text) ? Number(text) : -1
  if (value >= least) return value
  throw new GsdError('USAGE_BAD_VALUE', `--${flag} is ${quote(text)}`, { hint: `give a whole number from ${least}` })
}

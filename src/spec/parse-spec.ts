import { catalogForm } from './catalog-form.ts'
import type { Form, SpecContext } from './form.ts'
import { npmForm } from './npm-form.ts'
import { pathForm } from './path-form.ts'
import { scpForm } from './scp-form.ts'
import { shorthandForm } from './shorthand-form.ts'
import { checkText } from './spec-text.ts'
import type { Spec } from './spec.ts'
import { unknownForm } from './unknown-form.ts'
import { urlForm } from './url-form.ts'

/**
 * Reads the text that names a source (contract, "Specs"). Looks at nothing but the text: neither disk nor network.
 * A catalog's form is tried last, so that a catalog can never take over another form.
 *
 * @throws GsdError `SPEC_MALFORMED`, `SPEC_AMBIGUOUS` (two forms are near, the hint names both), `SPEC_REFUSED`
 */
export const parseSpec = (text: string, context: SpecContext): Spec => {
  checkText(text)
  for (const form of FORMS) {
    const spec = form(text, context)
    if (spec !== null) return spec
  }
  throw unknownForm(text)
}

const FORMS: readonly Form[] = [npmForm, shorthandForm, urlForm, scpForm, pathForm, catalogForm]

import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { quote } from '../redact.ts'
import { checkText } from '../registry/check-text.ts'
import { escapeText } from './escape.ts'
import type { Hook } from './hook.ts'

/** The document for a prompt, and which texts had to be changed for it. */
export interface Rendered {
  readonly text: string
  readonly warnings: readonly Diagnostic[]
}

/**
 * The hooks of a point as a document that a host may paste: a heading for each kind, and a block for each hook. What a
 * capability wrote stands inside its own block and nowhere else. Without hooks the document is empty.
 *
 * @param hooks in their order
 * @param roles of the point, whose names are headings too
 */
export const renderHooks = (hooks: readonly Hook[], roles: readonly string[]): Rendered => {
  const headings = new Set([...Object.values(TITLES), ...roles].map((title) => title.toLowerCase()))
  const warnings: Diagnostic[] = []
  const block = (hook: Hook): string => {
    const { text, changed } = escapeText(BODIES[hook.kind](hook), headings)
    if (changed) warnings.push(escapedText(hook))
    return `<${hook.kind} ${attributesOf(hook)}>\n${text.trimEnd().replace(/^[\r\n]+/, '')}\n</${hook.kind}>`
  }
  const parts: string[] = []
  for (const kind of KINDS) {
    const ofKind = hooks.filter((hook) => hook.kind === kind)
    if (ofKind.length > 0) parts.push(`## ${TITLES[kind]}`)
    let role: string | undefined
    for (const hook of ofKind) {
      if (hook.into !== role) parts.push(`### ${hook.into ?? ''}`)
      role = hook.into
      parts.push(block(hook))
    }
  }
  return { text: parts.length === 0 ? '' : `${parts.join('\n\n')}\n`, warnings }
}

type Kind = Hook['kind']

const KINDS = ['step', 'contribution', 'gate'] as const satisfies readonly Kind[]

const TITLES = { step: 'Steps', contribution: 'Contributions', gate: 'Gates' } as const satisfies Record<Kind, string>

const attributesOf = ({ capId, into }: Hook): string => `from="${capId}"${into === undefined ? '' : ` into="${into}"`}`

const BODIES: { readonly [K in Kind]: (hook: Hook) => string } = {
  step: ({ ref, consumes = [], produces = [], onError, fragment }) =>
    [
      `Run: ${refText(ref)}`,
      ...listLine('Consumes', consumes),
      ...listLine('Produces', produces),
      `On error: ${onError ?? 'skip'}`,
      ...(fragment === undefined ? [] : ['', fragment.inline]),
    ].join('\n'),
  contribution: ({ fragment, configValues = {} }) => {
    const values = Object.entries(configValues).map(([alias, value]) => `- ${alias}: ${JSON.stringify(value)}`)
    return [fragment?.inline ?? '', ...(values.length === 0 ? [] : ['', 'Values:', ...values])].join('\n')
  },
  gate: ({ check, blocking, onError }) =>
    [
      `Check: ${check === undefined ? '' : checkText(check)}`,
      `Blocking: ${blocking === true ? 'yes' : 'no'}`,
      `On error: ${onError ?? 'skip'}`,
    ].join('\n'),
}

const refText = (ref: Hook['ref']): string =>
  Object.entries(ref ?? {})
    .map(([kind, name]) => `${kind} ${name}`)
    .join('')

const listLine = (title: string, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${title}: ${names.join(', ')}`]

const escapedText = ({ capId, kind }: Hook): Diagnostic =>
  diagnostic(
    'warning',
    'OVERLAY_FRAGMENT_ESCAPED',
    `the text of a ${kind} of ${quote(capId)} looks like a part of the document around it and was escaped`,
    { id: capId, hint: `look at the fragments of ${quote(capId)} before you trust them` },
  )

import { fc } from './property.ts'

/** Trivia between two tokens of a settings text. */
const trivia = (eol: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('', ' ', '  ', '\t') },
    { weight: 6, arbitrary: fc.constantFrom(eol, `${eol}  `, `${eol}\t`, `${eol}    `, `${eol}${eol}  `, `  ${eol}`) },
    { weight: 2, arbitrary: fc.constantFrom('/* note */', ` /* two${eol}lines */ `, '/**/', '/* [,{ */') },
    { weight: 2, arbitrary: fc.constantFrom(`// note${eol}`, ` // "a": [1,]${eol}  `, `//${eol}`) },
  )

const scalar: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'null',
    'true',
    'false',
    '0',
    '-0',
    '1e999',
    '12345678901234567890.5',
    '""',
    '"\\u00e9\\n"',
    '"hooks"',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => JSON.stringify(text)),
)

interface Piece {
  readonly open: string
  readonly items: readonly string[]
  readonly close: string
}

/** One JSONC text, in pieces with any trivia between them. */
type Tokens = readonly string[]

const list = ({ open, close }: Piece, items: readonly Tokens[], trailing: boolean): Tokens => [
  open,
  ...items.flatMap((item, index) => (index === items.length - 1 && !trailing ? item : [...item, ','])),
  close,
]

const OBJECT: Piece = { open: '{', items: [], close: '}' }
const ARRAY: Piece = { open: '[', items: [], close: ']' }

const member = (key: string, value: Tokens): Tokens => [JSON.stringify(key), ':', ...value]

const arrayOf = (item: fc.Arbitrary<Tokens>, maxLength = 3): fc.Arbitrary<Tokens> =>
  fc.tuple(fc.array(item, { maxLength }), fc.boolean()).map(([items, trailing]) => list(ARRAY, items, trailing))

const objectOf = (members: fc.Arbitrary<readonly Tokens[]>): fc.Arbitrary<Tokens> =>
  fc.tuple(members, fc.boolean()).map(([items, trailing]) => list(OBJECT, items, trailing))

const value: fc.Arbitrary<Tokens> = fc.letrec<{ value: Tokens }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar.map((text) => [text]),
    arrayOf(tie('value'), 2),
    objectOf(
      fc
        .array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'hooks'), tie('value')), { maxLength: 2 })
        .map((all) => all.map(([key, inner]) => member(key, inner))),
    ),
  ),
})).value

const handler: fc.Arbitrary<Tokens> = fc
  .tuple(fc.constantFrom('echo hi', "'/elsewhere/x.sh'", 'node "a b.js"'), fc.boolean())
  .map(([command, typed]) =>
    list(
      OBJECT,
      [...(typed ? [member('type', ['"command"'])] : []), member('command', [JSON.stringify(command)])],
      false,
    ),
  )

const group: fc.Arbitrary<Tokens> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(arrayOf(handler), fc.boolean())
      .map(([hooks, matched]) =>
        list(OBJECT, [...(matched ? [member('matcher', ['"Bash"'])] : []), member('hooks', hooks)], false),
      ),
  },
  { weight: 1, arbitrary: handler },
  { weight: 1, arbitrary: value },
)

const hooks: fc.Arbitrary<Tokens> = objectOf(
  fc
    .uniqueArray(fc.tuple(fc.constantFrom('Stop', 'PreToolUse', 'SessionStart', 'Other'), arrayOf(group)), {
      maxLength: 3,
      selector: ([key]) => key,
    })
    .map((all) => all.map(([key, groups]) => member(key, groups))),
)

const root: fc.Arbitrary<Tokens> = fc
  .tuple(
    fc.uniqueArray(fc.tuple(fc.constantFrom('model', 'env', 'permissions', 'constructor'), value), {
      maxLength: 3,
      selector: ([key]) => key,
    }),
    fc.option(hooks, { freq: 3 }),
    fc.nat({ max: 3 }),
    fc.boolean(),
  )
  .map(([others, own, at, trailing]) => {
    const members = others.map(([key, inner]) => member(key, inner))
    if (own !== null) members.splice(Math.min(at, members.length), 0, member('hooks', own))
    return list(OBJECT, members, trailing)
  })

const joined = (tokens: Tokens, gaps: readonly string[]): string =>
  tokens.map((token, index) => (gaps[index % gaps.length] ?? '') + token).join('')

/**
 * Texts of settings files in which the path to our entry, if present, has the right type: any indent and line ends,
 * comments anywhere, trailing commas, empty containers, a BOM or none, a final line end or none.
 */
export const settingsText: fc.Arbitrary<string> = fc
  .constantFrom('\n', '\r\n', '\r')
  .chain((eol) =>
    fc
      .tuple(
        root,
        fc.array(trivia(eol), { minLength: 1, maxLength: 40 }),
        fc.constantFrom('', '\uFEFF'),
        fc.constantFrom('', eol, `${eol}// end`),
      )
      .map(([tokens, gaps, bom, end]) => bom + joined(tokens, gaps) + end),
  )

/** The same as an editor or the host formats it: no comments, one member a line. */
export const tidySettingsText: fc.Arbitrary<string> = fc
  .tuple(root, fc.constantFrom(2, 4, '\t', 1), fc.constantFrom('\n', '\r\n'), fc.constantFrom('', '\n'))
  .map(([tokens, indent, eol, end]) => {
    const compact = tokens.join('').replaceAll(/,([\]}])/g, '$1')
    try {
      return (JSON.stringify(JSON.parse(compact), null, indent) + end).replaceAll('\n', eol)
    } catch {
      return '{}'
    }
  })

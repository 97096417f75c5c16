import { expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { formatSpec, formatSpecForLedger } from '../../src/spec/format-spec.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import { isSameSource } from '../../src/spec/same-source.ts'
import type { Spec } from '../../src/spec/spec.ts'
import { fc } from '../helpers/property.ts'
import { examples } from '../helpers/spec-examples.ts'

const context = { cwd: '/w/here', home: '/home/me', allowHttp: true }
const otherContext = { cwd: '/else/where', home: '/nobody', allowHttp: true }

const read = (text: string): Spec | null => {
  try {
    return parseSpec(text, context)
  } catch (error) {
    expect(error, JSON.stringify(text)).toBeInstanceOf(GsdError)
    return null
  }
}

const PIECES = [
  'https:// http:// ssh:// file:// file:/// git+ npm: github: gitlab: ext:: tag: branch: sha: semver: &path: path: # @ :',
  '/ // . .. ./ ../ ~ ~/ \\ %2e %2F %25 % ? & = - _ ^1 >=1 1.2.0 latest o r git@ host.example github.com localhost :22',
  ':443 .git .tgz .tar.gz ä 💡 [::1] 0123456789abcdef0123456789abcdef01234567 \u0000 \n " \' $',
]
  .flatMap((line) => line.split(' '))
  .concat(' ', ' <2')
const assembled = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 4, unit: 'grapheme' })),
  { maxLength: 9 },
)
const mutated = fc
  .tuple(
    fc.constantFrom(...examples.parsed.map(({ text }) => text)),
    fc.nat(80),
    fc.nat(3),
    fc.constantFrom('', ...PIECES),
  )
  .map(([text, at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut))
const anyText = fc.oneof(
  assembled.map((pieces) => pieces.join('')),
  mutated,
)

test('any input is refused with a message, or its written form reads back the same, from any folder', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const spec = read(text)
      if (spec !== null) expect(parseSpec(formatSpec(spec), otherContext), formatSpec(spec)).toEqual(spec)
    }),
    { numRuns: 4000 },
  )
})

test('any spec is recorded relative to the scope root and found again from there', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('/w', '/w/here', '/home/me', '/', '/w/here/root.tgz'), (text, root) => {
      const spec = read(text)
      if (spec === null) return
      const recorded = formatSpecForLedger(spec, root)
      expect(isSameSource(parseSpec(recorded, { ...otherContext, cwd: root }), spec), recorded).toBe(true)
      if (spec.kind === 'local' || (spec.kind === 'tarball' && spec.at.kind === 'file'))
        expect(recorded).toMatch(/^\.\.?(?:\/|$)/)
    }),
    { numRuns: 2000 },
  )
})

test('no accepted repository reads as a flag or a transport program to git', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const spec = read(text)
      if (spec?.kind !== 'git') return
      expect(spec.url).toMatch(/^(?:(?:https|http|ssh|file):\/\/|[A-Za-z0-9_.~+][A-Za-z0-9_.~+-]*@[a-z0-9_[])/)
      expect(spec.path ?? '').not.toMatch(/^[-/]|(?:^|\/)\.\.(?:\/|$)|\\|\u0000/)
      if (spec.ref?.kind === 'any' || spec.ref?.kind === 'tag' || spec.ref?.kind === 'branch')
        expect(spec.ref.name).not.toMatch(/^-|\.\.|[\s~^:?*[\\]/)
    }),
    { numRuns: 2000 },
  )
})

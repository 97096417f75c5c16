import { expect, test } from 'vitest'
import { GsdError } from '../../src/errors.ts'
import { MAX_SPEC_LENGTH } from '../../src/spec/check-spec-text.ts'
import { formatSpec } from '../../src/spec/format-spec.ts'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import { examples } from '../helpers/spec-examples.ts'

const context = { cwd: examples.cwd, home: examples.home }

const failure = (text: string, options = context): GsdError => {
  try {
    parseSpec(text, options)
  } catch (error) {
    if (error instanceof GsdError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(text)} was read`)
}

test.each(examples.parsed)('$text is read', ({ text, spec }) => {
  expect(parseSpec(text, context)).toEqual(spec)
})

test.each(examples.parsed)('$text is written back to a text that reads the same from anywhere', ({ text, spec }) => {
  const written = formatSpec(parseSpec(text, context))
  expect(parseSpec(written, { cwd: '/elsewhere', home: '/nobody' })).toEqual(spec)
})

test.each(examples.refused)('$text is refused with $code and a hint that names $hint', ({ text, code, hint }) => {
  const error = failure(text)
  expect({ code: error.code, exit: error.exitStatus }).toEqual({ code, exit: 2 })
  expect(error.hint ?? '').toContain(hint)
})

test('a spec as long as the longest path is read, a longer one is truncated in the message', () => {
  const longest = `./${'x'.repeat(MAX_SPEC_LENGTH - 2)}`
  expect(parseSpec(longest, context).kind).toBe('local')
  const error = failure(`${longest}x`)
  expect(error.code).toBe('SPEC_MALFORMED')
  expect(error.message.length).toBeLessThan(250)
})

test('no message or hint repeats a password, token or signed query', () => {
  for (const text of [
    'https://alice:s3cr3t@git.example.org/x.git',
    'https://alice:s3@cr3t@git.example.org/x',
    'https://alice:x@s3cr3t@git.example.org:port/x',
    'ssh://git:s3cr3t@git.example.org/x',
    'git+https://alice:s3cr3t@git.example.org/../x',
    'ftp://alice:s3cr3t@git.example.org/x',
    'htps://alice:s3cr3t@git.example.org/x',
    'https://git.example.org/x?token=s3cr3t',
    'npm:cap@https://alice:s3cr3t@git.example.org/x',
  ]) {
    expect(JSON.stringify(failure(text).toJSON()), text).not.toMatch(/s3cr3t|cr3t/)
  }
})

test('http is read for a server of this machine, and only when it is allowed', () => {
  const allowed = { ...context, allowHttp: true }
  for (const url of [
    'http://127.0.0.1:8080/x.git',
    'http://localhost/x.tgz',
    'http://[::1]:1/x.git',
    'http://127.1/x.tgz',
  ]) {
    expect(failure(url).code, url).toBe('SPEC_REFUSED')
    const spec = parseSpec(url, allowed)
    expect(parseSpec(formatSpec(spec), allowed)).toEqual(spec)
  }
  for (const url of [
    'http://127.0.0.1.example/x.git',
    'http://localhost.example/x.git',
    'http://128.0.0.1/x.git',
    'http://[::ffff:127.0.0.1]/x.git',
  ]) {
    expect(failure(url, allowed).code, url).toBe('SPEC_REFUSED')
  }
})

test('a folder named like an archive stays a folder, also when it is the working directory', () => {
  for (const [text, cwd] of [
    ['.', '/w/x.tgz'],
    ['./', '/w/x.tgz'],
    ['..', '/w/x.tgz/y'],
    ['../', '/w/x.tgz/y'],
  ] as const) {
    const spec = parseSpec(text, { cwd, home: '/h' })
    expect(spec).toEqual({ kind: 'local', path: '/w/x.tgz' })
    expect(parseSpec(formatSpec(spec), context)).toEqual(spec)
  }
  expect(parseSpec('~', { cwd: '/', home: '/h.tgz' })).toEqual({ kind: 'local', path: '/h.tgz' })
})

test('a relative path below a folder whose name contains a control character is refused', () => {
  expect(failure('./dir', { cwd: '/w/a\nb', home: '/h' }).code).toBe('SPEC_REFUSED')
})

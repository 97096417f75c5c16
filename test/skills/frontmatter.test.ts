import { describe, expect, it } from 'vitest'
import * as yaml from 'yaml'
import { readFrontmatter } from '../../src/skills/index/frontmatter.ts'

const read = (text: string) => readFrontmatter(text, yaml)
const block = (inner: string) => read(`---\n${inner}\n---\n\n# Body\n`)

describe('frontmatter that is valid', () => {
  it.each([
    ['plain', '---\nname: a\ndescription: Does a.\n---\n'],
    ['a byte order mark', '\ufeff---\nname: a\ndescription: Does a.\n---\n'],
    ['CRLF', '---\r\nname: a\r\ndescription: Does a.\r\n---\r\n'],
    ['a blank after the dashes', '--- \nname: a\ndescription: Does a.\n--- \n'],
    ['blank lines before and in it', '\n\n---\n\nname: a\n\ndescription: Does a.\n\n---\n'],
    ['quotes', '---\nname: "a"\ndescription: \'Does a.\'\n---\n'],
    ['a folded block', '---\nname: a\ndescription: >-\n  Does\n  a.\n---\n'],
    ['dots at the end', '---\nname: a\ndescription: Does a.\n...\nbody\n'],
    [
      'members that nobody knows',
      '---\nname: a\ndescription: Does a.\nallowed-tools: [Bash, "*"]\nmetadata:\n  x: 1\n---\n',
    ],
  ])('is read with %s', (_, text) => {
    expect(read(text)).toEqual({ fields: { name: 'a', description: 'Does a.' }, fault: null })
  })

  it('may lack the name', () => {
    expect(block('description: Does a.')).toEqual({ fields: { description: 'Does a.' }, fault: null })
  })

  it('keeps dates, numbers and booleans as texts, and lists of tags', () => {
    expect(block('name: 7\ndate_added: 2026-02-27\nrisk: none\nsource: true\ntags: [a, b, 3]').fields).toEqual({
      name: '7',
      date_added: '2026-02-27',
      risk: 'none',
      source: 'true',
      tags: ['a', 'b', '3'],
    })
    expect(block('tags: a, b').fields.tags).toEqual(['a', 'b'])
    expect(block('tags:\n  - a\n  - b').fields.tags).toEqual(['a', 'b'])
    expect(block('name:\ndescription: null\nrisk: [x]').fields).toEqual({})
  })

  it('may have a member __proto__, which changes nothing', () => {
    expect(block('__proto__:\n  name: evil\ndescription: x').fields).toEqual({ description: 'x' })
  })
})

describe('frontmatter that is not valid is read line by line', () => {
  it.each([
    ['a colon in the description', 'name: a\ndescription: Use when: needed', 'Use when: needed', 3, /double quotes/],
    ['a key twice', 'name: a\ndescription: one\ndescription: two', 'one', 4, /remove one/],
    ['a quote that is not closed', 'name: a\ndescription: "Does', '"Does', 3, /quotes/],
    ['a tab', 'name: a\ndescription: Does a.\nx:\n\t- y', 'Does a.', 5, /blanks/],
    ['a mark of YAML in front', 'name: a\ndescription: @user does', '@user does', 3, /double quotes/],
    ['more lines', 'name: a\ndescription: Use: this\n  and that', 'Use: this and that', 3, /double quotes/],
  ])('with %s, naming line and remedy', (_, inner, description, line, remedy) => {
    const { fields, fault } = block(inner)
    expect(fields).toEqual({ name: 'a', description })
    expect(fault?.line).toBe(line)
    expect(fault?.hint).toMatch(remedy)
  })

  it('with aliases that multiply, without their content', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x]']
    for (const [at, name] of [...'bcdefghi'].entries()) {
      const above = 'abcdefgh'.charAt(at)
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${above}`).join(', ')}]`)
    }
    const { fields, fault } = block(`name: a\n${lines.join('\n')}`)
    expect(fields).toEqual({ name: 'a' })
    expect(fault).not.toBeNull()
  })

  it('with a list in place of members', () => {
    expect(block('- a\n- b')).toMatchObject({ fields: {}, fault: { message: 'is not a list of fields' } })
  })
})

describe('a file without frontmatter', () => {
  it.each(['', '# Title\n', '---\nname: a\n', 'text\n---\nname: a\n---\n'])('%j has no fields, and says so', (text) => {
    const { fields, fault } = read(text)
    expect(fields).toEqual({})
    expect(fault?.hint).toContain('---')
  })
})

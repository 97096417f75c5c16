import { expect, test } from 'vitest'
import { parseSpec } from '../../src/spec/parse-spec.ts'
import { gitHost } from '../../src/spec/url-authority.ts'

test.each([
  ['https://Git.Example.org:8443/x.git', 'git.example.org'],
  ['https://alice@bitbucket.org/o/r', 'bitbucket.org'],
  ['ssh://git@git.example.org:22/x', 'git.example.org'],
  ['ssh://git.example.org/a@b:c', 'git.example.org'],
  ['git@git.example.org:a/b@c.git', 'git.example.org'],
  ['git@[2001:db8::1]:x.git', '[2001:db8::1]'],
  ['https://[2001:db8::1]:8443/x.git', '[2001:db8::1]'],
  ['github:o/r', 'github.com'],
  ['file:///srv/a@b/x.git', null],
])('%s contacts %s', (text, host) => {
  const spec = parseSpec(text, { cwd: '/w', home: '/h' })
  expect(spec.kind === 'git' && gitHost(spec.url)).toBe(host)
})

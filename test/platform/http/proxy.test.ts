import { expect, test } from 'vitest'
import { findProxy } from '../../../src/platform/http/proxy.ts'
import { thrownBy } from '../../helpers/thrown.ts'

const PROXY = 'http://proxy.example.org:3128'
const through = (url: string, env: Readonly<Record<string, string>>): string | null =>
  findProxy(new URL(url), env)?.href ?? null

test.each([
  [{}, null],
  [{ HTTPS_PROXY: '' }, null],
  [{ HTTPS_PROXY: PROXY }, `${PROXY}/`],
  [{ https_proxy: PROXY, HTTPS_PROXY: 'http://other' }, `${PROXY}/`],
  [{ HTTPS_PROXY: 'proxy.example.org:3128' }, `${PROXY}/`],
  [{ ALL_PROXY: PROXY }, `${PROXY}/`],
  [{ HTTP_PROXY: PROXY }, null],
])('with %j the proxy for https is %s', (env, proxy) => {
  expect(through('https://dl.example.net/x.tgz', env)).toBe(proxy)
})

test.each([
  ['*', true],
  ['dl.example.net', true],
  ['DL.Example.NET', true],
  ['example.net', true],
  ['.example.net', true],
  ['*.example.net', true],
  ['ample.net', false],
  ['example.net:443', true],
  ['example.net:8443', false],
  ['dl.example.net.evil.org', false],
  ['', false],
  [',', false],
  ['localhost, dl.example.net', true],
  ['localhost dl.example.net', true],
])('NO_PROXY=%s excludes dl.example.net: %s', (list, exempt) => {
  expect(through('https://dl.example.net/x.tgz', { HTTPS_PROXY: PROXY, NO_PROXY: list })).toBe(
    exempt ? null : `${PROXY}/`,
  )
})

test('addresses are excluded too, with and without brackets', () => {
  for (const [url, list] of [
    ['https://127.0.0.1:8443/x', '127.0.0.1'],
    ['https://127.0.0.1:8443/x', '127.0.0.1:8443'],
    ['https://[::1]/x', '::1'],
    ['https://[::1]:8443/x', '[::1]:8443'],
    ['https://10.1.2.3/x', 'localhost,10.0.0.0/8'],
    ['https://[fd00::7]/x', 'fd00::/8'],
  ] as const) {
    expect(through(url, { HTTPS_PROXY: PROXY, NO_PROXY: list }), list).toBeNull()
  }
  for (const list of ['11.0.0.0/8', '10.0.0.0/33', '10.0.0.0/', '::/0', 'x/8'])
    expect(through('https://10.1.2.3/x', { HTTPS_PROXY: PROXY, NO_PROXY: list }), list).not.toBeNull()
  expect(through('https://[::1]/x', { HTTPS_PROXY: PROXY, NO_PROXY: '::2' })).not.toBeNull()
})

test('plain http, which only connects to this machine, never uses a proxy', () => {
  expect(through('http://localhost/x', { HTTP_PROXY: PROXY, ALL_PROXY: PROXY })).toBeNull()
})

test('a proxy that is not http is refused, without its password in the message', () => {
  const error = thrownBy(() => through('https://x.org/', { HTTPS_PROXY: 'socks5://me:s3cr3t@proxy:1080' }))
  expect(error.code).toBe('FETCH_NETWORK')
  expect(JSON.stringify(error)).not.toContain('s3cr3t')
})

import { BlockList, isIP } from 'node:net'
import { GsdError } from '../../errors.ts'
import { quote } from '../../redact.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The proxy that the environment sets for a url, or null: `https_proxy` or `HTTPS_PROXY`, then `all_proxy`, except for the
 * hosts of `no_proxy`. Plain http goes to this machine only, and never through a proxy.
 * @throws GsdError FETCH_NETWORK for a proxy that does not speak http
 */
export const findProxy = (url: URL, env: Env): URL | null => {
  if (url.protocol !== 'https:' || isExempt(url, readVariable(env, 'no_proxy'))) return null
  const text = readVariable(env, 'https_proxy') || readVariable(env, 'all_proxy')
  if (text === '') return null
  const proxy = parseUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (proxy !== null && /^https?:$/.test(proxy.protocol)) return proxy
  throw new GsdError('FETCH_NETWORK', `the proxy ${quote(text)} of the environment is not an http proxy`, {
    hint: 'set HTTPS_PROXY to http://<host>:<port>, or unset it',
  })
}

/** Lower case takes precedence, as in curl. */
const readVariable = (env: Env, name: string): string => (env[name] ?? env[name.toUpperCase()] ?? '').trim()

const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const isExempt = (url: URL, list: string): boolean =>
  list
    .split(/[\s,]+/)
    .some(
      (entry) => entry !== '' && (entry === '*' || matchesEntry(url, entry.toLowerCase()) || isInNetwork(url, entry)),
    )

/** `10.0.0.0/8`: an address is exempt by its network. */
const isInNetwork = ({ hostname }: URL, entry: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const [, network = '', bits = ''] = /^\[?([0-9a-f.:]+)\]?\/(\d{1,3})$/i.exec(entry) ?? []
  const [own, other] = [isIP(host), isIP(network)]
  if (own === 0 || own !== other || Number(bits) > (own === 4 ? 32 : 128)) return false
  const family = own === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, Number(bits), family)
  return list.check(host, family)
}

/** `host`, `.suffix`, `*.suffix`, each with or without a port; a name includes its subdomains. */
const matchesEntry = (url: URL, entry: string): boolean => {
  const [, address, name = entry, port] = ENTRY_PATTERN.exec(entry) ?? []
  if (port !== undefined && port !== (url.port || '443')) return false
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const wanted = address ?? name.replace(/^\*?\./, '')
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`))
}

/** An IPv6 address without brackets contains colons, so it has no port. */
const ENTRY_PATTERN = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/

/** Last words of the query members by which storage services, forges and registries let a bearer in. */
const SECRETS = new Set(
  (
    'token accesstoken privatetoken key apikey secret password passwd pwd pass jwt ' +
    'sig signature auth authorization credential credentials'
  ).split(' '),
)

/** The url without those members of its query that may let a bearer in; the ledger is made to be committed. */
export const withoutSecretQuery = (url: string): string => {
  const at = url.indexOf('?')
  if (at === -1) return url
  const kept = url
    .slice(at + 1)
    .split('&')
    .filter((member) => !isSecret(nameOf(member)))
  return kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}`
}

/** `private_token`, `api-key`, `X-Amz-Signature`, `clientSecret`; not `tokens`, `keyboard`. */
const isSecret = (name: string): boolean => {
  const words = name
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[-_.]/)
  return SECRETS.has(words.at(-1) ?? '')
}

const nameOf = (member: string): string => {
  const name = member.split('=')[0] ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Last words of query members with which storage services, forges and registries grant access. */
const SECRET_WORDS = new Set(
  (
    'token accesstoken privatetoken key apikey secret password passwd pwd pass jwt ' +
    'sig signature auth authorization credential credentials'
  ).split(' '),
)

/** The url without query members that may grant access, because users commit the ledger. */
export const stripQuerySecrets = (url: string): string => {
  const at = url.indexOf('?')
  if (at === -1) return url
  const kept = url
    .slice(at + 1)
    .split('&')
    .filter((member) => !isSecretMember(memberName(member)))
  return kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}`
}

/** `private_token`, `api-key`, `X-Amz-Signature`, `clientSecret`; not `tokens`, `keyboard`. */
const isSecretMember = (name: string): boolean => {
  const words = name
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split(/[-_.]/)
  return SECRET_WORDS.has(words.at(-1) ?? '')
}

const memberName = (member: string): string => {
  const name = member.split('=')[0] ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** The host that a git url (of a {@link GitSpec}) contacts, lower case, or null for a folder of this machine. */
export const gitHost = (url: string): string | null => {
  if (url.startsWith('file://')) return null
  const [, host] = /^(?:[a-z]+:\/\/(?:[^/@]*@)?|[^/@:]+@)(\[[^\]]*\]|[^/:]+)/.exec(url) ?? []
  return host ?? null
}

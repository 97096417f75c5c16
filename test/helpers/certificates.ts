import { createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate and its key, in PEM. */
export interface Certified {
  readonly cert: string
  readonly key: string
}

/** A private certificate authority, as organisations have. */
export const makeAuthority = (name: string): Certified => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const extensions = [
    extension('2.5.29.19', sequence(Buffer.from([0x01, 0x01, 0xff])), true),
    extension('2.5.29.15', Buffer.from([0x03, 0x02, 0x02, 0x04]), true),
  ]
  return certify({ subject: name, issuer: name, publicKey, extensions, signer: privateKey, privateKey })
}

/** A server certificate for names and addresses, signed by an authority; `expired`: it was valid last year. */
export const makeCertificate = (
  authority: { readonly name: string; readonly key: KeyObject },
  hosts: readonly string[],
  expired = false,
): Certified => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const names = hosts.map((host) =>
    isIP(host) === 4 ? tag(0x87, Buffer.from(host.split('.').map(Number))) : tag(0x82, Buffer.from(host)),
  )
  const extensions = [extension('2.5.29.17', sequence(...names), false)]
  return certify({
    subject: hosts[0] ?? 'nobody',
    issuer: authority.name,
    publicKey,
    extensions,
    signer: authority.key,
    privateKey,
    expired,
  })
}

interface Order {
  readonly subject: string
  readonly issuer: string
  readonly publicKey: KeyObject
  readonly extensions: readonly Buffer[]
  readonly signer: KeyObject
  readonly privateKey: KeyObject
  readonly expired?: boolean
}

const certify = ({ subject, issuer, publicKey, extensions, signer, privateKey, expired = false }: Order): Certified => {
  const day = 24 * 60 * 60 * 1000
  const [from, to] = expired ? [-400, -30] : [-1, 30]
  const body = sequence(
    tag(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name(issuer),
    sequence(time(Date.now() + from * day), time(Date.now() + to * day)),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tag(0xa3, sequence(...extensions)),
  )
  const signature = createSign('sha256').update(body).sign(signer)
  const der = sequence(body, ECDSA_WITH_SHA256, tag(0x03, Buffer.from([0]), signature))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const tag = (type: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const length = content.length
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([type, ...head]), content])
}

const sequence = (...parts: readonly Buffer[]): Buffer => tag(0x30, ...parts)
const integer = (bytes: Buffer): Buffer => tag(0x02, bytes)

const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = rest.flatMap((value) => {
    const digits = [value & 0x7f]
    for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
    return digits
  })
  return tag(0x06, Buffer.from([first * 40 + second, ...bytes]))
}

const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))

const name = (common: string): Buffer => sequence(tag(0x31, sequence(oid('2.5.4.3'), tag(0x0c, Buffer.from(common)))))

const time = (at: number): Buffer => {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)
  return tag(0x17, Buffer.from(`${digits}Z`))
}

const extension = (id: string, value: Buffer, critical: boolean): Buffer =>
  sequence(oid(id), ...(critical ? [Buffer.from([0x01, 0x01, 0xff])] : []), tag(0x04, value))

import { createPrivateKey } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { makeAuthority, makeCertificate, type Certified } from './certificates.ts'

const NAME = 'gsd test authority'

/** Before all tests: an authority that every test process trusts by NODE_EXTRA_CA_CERTS, as a user would. */
export const setup = ({ config }: TestProject): (() => void) => {
  const folder = config.env['GSD_TEST_CA'] ?? ''
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { cert, key } = makeAuthority(NAME)
  writeFileSync(join(folder, 'ca.pem'), cert)
  writeFileSync(join(folder, 'ca.key'), key)
  return () => rmSync(folder, { recursive: true, force: true })
}

const folder = (): string => process.env['GSD_TEST_CA'] ?? ''

/** The authority's certificate, for programs with another setting for it. */
export const authorityFile = (): string => join(folder(), 'ca.pem')

/** A certificate of that authority. */
export const trustedCertificate = (hosts: readonly string[], expired = false): Certified =>
  makeCertificate({ name: NAME, key: createPrivateKey(readFileSync(join(folder(), 'ca.key'))) }, hosts, expired)

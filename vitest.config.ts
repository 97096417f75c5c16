import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** A certificate authority for this run, which every test process trusts from its start. */
const AUTHORITY = join(tmpdir(), `gsd-test-ca-${process.pid}`)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/test-authority.ts'],
    env: { GSD_TEST_CA: AUTHORITY, NODE_EXTRA_CA_CERTS: join(AUTHORITY, 'ca.pem') },
    // Real folders, processes and archives: slower than unit tests are, on a busy machine too.
    testTimeout: 60_000,
    // One worker a core: by default one core stays idle, which is half of a small machine.
    maxWorkers: '100%',
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
    },
  },
})

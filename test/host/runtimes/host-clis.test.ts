import { expect, test } from 'vitest'
import { HOST_CLIS } from '../../../scripts/host-clis.js'
import { requireBuiltInRuntime } from '../../../src/host/runtimes/known-hosts.ts'

test.each(HOST_CLIS)('npm run hosts runs $id in the version with which its facts were seen', ({ id, spec }) => {
  expect(spec.slice(spec.lastIndexOf('@') + 1)).toBe(requireBuiltInRuntime(id).confidence.observed)
})

import { join } from 'node:path'
import type { Context } from '../context.ts'
import { makeFetchContext } from '../fetch/fetch-context.ts'
import type { FetchContext } from '../fetch/fetcher.ts'
import { policyFolders } from '../state/config/find-project.ts'
import type { Policy } from '../state/config/policy.ts'
import { readProjectConfig } from '../state/config/project-config.ts'
import { readProseConsent } from '../state/config/prose-consent.ts'
import { MACHINE_POLICY, type PolicySources, readPolicy } from '../state/config/read-policy.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { createPolicyCheck } from '../trust/check-policy.ts'

export interface ScopeFetchOptions {
  readonly allowHttp: boolean
  /** Canonical integrity of the artifact, if known before the fetch. */
  readonly expectedIntegrity?: string | null
  /** Commit of a catalog entry's repository, from the ledger. */
  readonly pinnedCommit?: string | null
}

/**
 * How the sources of a scope are fetched and checked: not from the folders that are about to change, and only if policy
 * allows it.
 */
export const scopeFetchContext = (
  context: Context,
  paths: ScopePaths,
  { allowHttp, expectedIntegrity = null, pinnedCommit = null }: ScopeFetchOptions,
): FetchContext => {
  const policy = loadPolicy(context)
  const scopeRoots = [join(paths.realRoot, '.gsd'), context.user.gsd]
  return makeFetchContext(context, {
    scopeRoots,
    allowHttp,
    expectedIntegrity,
    pinnedCommit,
    checkPolicy: policy.lists.length === 0 ? null : createPolicyCheck(policy),
  })
}

/** Whether any policy that applies asks for consent to changed prose too. */
export const loadProseConsent = (context: Context): boolean => readProseConsent(policySources(context))

const policySources = ({ project, user, home }: Context): PolicySources => ({
  projects:
    project === null ? [] : policyFolders(project.realRoot, { home }).map((folder) => readProjectConfig(folder).file),
  user: user.policy,
  machine: MACHINE_POLICY,
})

/** Every policy list that applies: of the project and those around it, the user's, the machine's. Reports warnings about them. */
export const loadPolicy = (context: Context): Policy => {
  const { policy, diagnostics } = readPolicy(policySources(context))
  for (const diagnostic of diagnostics) context.report({ kind: 'warning', diagnostic })
  return policy
}

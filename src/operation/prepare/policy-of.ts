import type { Policy } from '../../config/policy.ts'
import { readProjectConfig } from '../../config/project-config.ts'
import { MACHINE_POLICY, readPolicy } from '../../config/read-policy.ts'
import type { Context } from '../../context.ts'

/** Every policy list that holds here: the project's, the user's, the machine's. What is odd about them is reported once. */
export const policyOf = ({ project, user, report }: Context): Policy => {
  const { policy, diagnostics } = readPolicy({
    project: project === null ? null : readProjectConfig(project.root).file,
    user: user.policy,
    machine: MACHINE_POLICY,
  })
  for (const diagnostic of diagnostics) report({ kind: 'warning', diagnostic })
  return policy
}

import { GsdError } from '../../errors.ts'
import type { CommandFamily } from '../../manifest/manifest.ts'
import { quote } from '../../redact.ts'
import type { Candidate, Registry } from '../../registry/registry.ts'
import type { Activation } from '../activation.ts'
import { consentNow } from '../consent-now.ts'
import type { LoopContext } from '../loop-context.ts'
import { moduleFile, type ModuleFile } from './module-file.ts'

/** A family that may run now. */
export interface RunnableFamily {
  readonly family: CommandFamily
  readonly module: ModuleFile
}

/**
 * The family of that name, ready to run: its capability is active, the user agreed to it as it is now, and its module is
 * a file inside it.
 * @throws GsdError USAGE_UNKNOWN_COMMAND, OVERLAY_FAMILY_INACTIVE, OVERLAY_FAMILY_HOST, OVERLAY_FAMILY_MODULE, CONSENT_*
 */
export const findFamily = (
  registry: Registry,
  name: string,
  { activation, context }: { readonly activation: Activation; readonly context: LoopContext },
): RunnableFamily => {
  const family = registry.commandFamilies.get(name)
  const candidate = family === undefined ? undefined : registry.capabilities.get(family.owner)
  if (family === undefined || candidate === undefined)
    throw new GsdError('USAGE_UNKNOWN_COMMAND', `no capability has the command family ${quote(name)}`, {
      hint: 'gsd capability list shows what is installed',
    })
  const stop = activation.capability(family.owner)
  if (stop !== null)
    throw new GsdError(
      'OVERLAY_FAMILY_INACTIVE',
      `${quote(name)} belongs to ${quote(family.owner)}, which is inactive: ${stop.reason}`,
      { hint: `gsd capability state ${family.owner}` },
    )
  return { family, module: consentedModule(candidate, family, context) }
}

const consentedModule = (candidate: Candidate, family: CommandFamily, context: LoopContext): ModuleFile => {
  if (candidate.dir === null)
    throw new GsdError(
      'OVERLAY_FAMILY_HOST',
      `${quote(family.family)} is a command of GSD Core, whose module ${quote(family.module)} is not a part of this program`,
      { hint: `run it there: gsd-tools ${family.family}` },
    )
  const refused = consentNow(candidate, context)
  if (refused !== null)
    throw new GsdError('CONSENT_CHANGED', `${quote(family.family)} does not run: ${refused.reason}`, {
      hint: refused.hint,
    })
  return moduleFile(candidate.dir, family)
}

import { join } from 'node:path'
import type { Context } from '../context.ts'
import { GsdError } from '../errors.ts'
import { loadRegistryFor } from '../overlay/load-registry.ts'
import { quote } from '../redact.ts'
import { parseSpec } from '../spec/parse-spec.ts'
import type { ScopePaths } from '../state/scope-paths.ts'
import { withErrorContext } from './error-context.ts'
import { prepareCompatible } from './prepare-compatible.ts'
import type { Prepared } from './prepare.ts'

/** A requirement that is not installed, and the source its capability names. */
interface MissingRequirement {
  readonly id: string
  /** Spec as the capability states it. */
  readonly specText: string
  /** Base folder for a relative path. */
  readonly cwd: string
}

/** More than any real set; stops sources that keep naming new ones. */
const MAX_CAPABILITIES = 100

/** Where requirements are installed, and how they are fetched. */
export interface RequirementRequest {
  readonly paths: ScopePaths
  /** Folder in which they are staged. */
  readonly dir: string
  readonly allowHttp: boolean
  readonly downgrade?: boolean | null
}

/**
 * Adds requirements that are not installed: from the source that the requiring capability names (`x-sources`), or from its
 * catalog. A requirement without a source is refused later, when the set is composed.
 *
 * @throws what `prepareCompatible` throws, SPEC_REFUSED for a local path in a source that is not local
 */
export const addRequirements = async (
  context: Context,
  prepared: readonly Prepared[],
  request: RequirementRequest,
): Promise<readonly Prepared[]> => {
  if (prepared.every(({ manifest }) => manifest.requires.length === 0)) return prepared
  const { rows } = await loadRegistryFor(context)
  const seen = rows.filter(({ scope }) => request.paths.scope === 'project' || scope !== 'project').map(({ id }) => id)
  const known = new Set([...seen, ...prepared.map(({ manifest }) => manifest.id)])
  const all = [...prepared]
  for (let at = 0; at < all.length && all.length < MAX_CAPABILITIES; at += 1) {
    const requiring = all[at]
    for (const id of requiring?.manifest.requires ?? []) {
      if (requiring === undefined || known.has(id)) continue
      const { id: requiredBy } = requiring.manifest
      const about = { prefix: `${quote(requiredBy)} requires ${quote(id)}`, details: { id, requiredBy } }
      const found = await withErrorContext(about, async () => {
        const wanted = findSource(context, requiring, id)
        return wanted === null ? null : prepareRequirement(context, request, wanted, all.length)
      })
      if (found === null) continue
      known.add(id)
      all.push(found)
    }
  }
  return all
}

const prepareRequirement = async (
  context: Context,
  { paths, dir, allowHttp, downgrade = null }: RequirementRequest,
  { id, specText, cwd }: MissingRequirement,
  index: number,
): Promise<Prepared> => {
  const into = join(dir, `r${index}`)
  const prepared = await prepareCompatible(context, {
    specText,
    cwd,
    paths,
    into,
    integrity: null,
    allowHttp,
    downgrade,
  })
  if (prepared.manifest.id !== id) throw wrongIdError({ id, specText }, prepared.manifest.id)
  return { ...prepared, auto: true }
}

const findSource = ({ home }: Context, { manifest, spec }: Prepared, id: string): MissingRequirement | null => {
  const stated = (manifest as { readonly 'x-sources'?: unknown })['x-sources']
  const specText =
    typeof stated === 'object' && stated !== null && Object.hasOwn(stated, id)
      ? (stated as Record<string, unknown>)[id]
      : null
  const cwd = spec.kind === 'local' ? spec.path : home
  if (typeof specText !== 'string')
    return spec.kind === 'catalog' ? { id, specText: `${id}@${spec.catalog}`, cwd } : null
  const named = parseSpec(specText, { cwd, home })
  const isLocal = named.kind === 'local' || (named.kind === 'tarball' && named.at.kind === 'file')
  if (isLocal && (spec.kind !== 'local' || !/^\.\.?\//.test(specText))) {
    throw new GsdError(
      'SPEC_REFUSED',
      `${quote(manifest.id)} names the source ${quote(specText)} for ${quote(id)}, which is a path on this machine`,
      {
        hint: `install ${id} yourself first, from a source you trust`,
        details: { id, requiredBy: manifest.id },
      },
    )
  }
  return { id, specText, cwd }
}

const wrongIdError = ({ id, specText }: Pick<MissingRequirement, 'id' | 'specText'>, found: string): GsdError =>
  new GsdError('SPEC_REFUSED', `${quote(specText)} should contain ${quote(id)}, but contains ${quote(found)}`, {
    hint: `install ${id} yourself first, from a source you trust`,
    details: { id, found },
  })

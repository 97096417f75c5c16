import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { GsdError } from '../../errors.ts'
import { loadWorld } from '../../overlay/load-world.ts'
import { quote } from '../../redact.ts'
import { parseSpec } from '../../spec/parse-spec.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { naming } from './naming.ts'
import { prepareFitting } from './prepare-fitting.ts'
import type { Prepared } from './prepare.ts'

/** A requirement that is not here, and where its capability says it comes from. */
interface Wanted {
  readonly id: string
  /** Spec as its capability states it. */
  readonly text: string
  /** Folder from which a relative path in it starts. */
  readonly cwd: string
}

/** Far above what anybody requires; a source that keeps naming new ones ends here. */
const MOST = 100

/** Where requirements are installed, and how they are fetched. */
export interface RequirementRequest {
  readonly places: ScopePlaces
  /** Folder in which they are staged. */
  readonly dir: string
  readonly allowHttp: boolean
  readonly downgrade?: boolean | null
}

/**
 * Adds what the prepared capabilities require and nobody has: from the source that the requiring one names (`x-sources`),
 * or from the catalog it came from. What has no source is left to the check of the merged set, which refuses it in words.
 *
 * @throws what `prepareFitting` throws, SPEC_REFUSED for a local path in a source that is not local
 */
export const withRequirements = async (
  context: Context,
  prepared: readonly Prepared[],
  request: RequirementRequest,
): Promise<readonly Prepared[]> => {
  if (prepared.every(({ manifest }) => manifest.requires.length === 0)) return prepared
  const { rows } = await loadWorld(context)
  const seen = rows.filter(({ scope }) => request.places.scope === 'project' || scope !== 'project').map(({ id }) => id)
  const known = new Set([...seen, ...prepared.map(({ manifest }) => manifest.id)])
  const all = [...prepared]
  for (let at = 0; at < all.length && all.length < MOST; at += 1) {
    const requiring = all[at]
    for (const id of requiring?.manifest.requires ?? []) {
      if (requiring === undefined || known.has(id)) continue
      const { id: requiredBy } = requiring.manifest
      const about = { words: `${quote(requiredBy)} requires ${quote(id)}`, details: { id, requiredBy } }
      const found = await naming(about, async () => {
        const wanted = sourceOf(context, requiring, id)
        return wanted === null ? null : bring(context, request, wanted, all.length)
      })
      if (found === null) continue
      known.add(id)
      all.push(found)
    }
  }
  return all
}

const bring = async (
  context: Context,
  { places, dir, allowHttp, downgrade = null }: RequirementRequest,
  { id, text, cwd }: Wanted,
  index: number,
): Promise<Prepared> => {
  const into = join(dir, `r${index}`)
  const prepared = await prepareFitting(context, { text, cwd, places, into, integrity: null, allowHttp, downgrade })
  if (prepared.manifest.id !== id) throw otherId({ id, text }, prepared.manifest.id)
  return { ...prepared, auto: true }
}

const sourceOf = ({ home }: Context, { manifest, spec }: Prepared, id: string): Wanted | null => {
  const stated = (manifest as { readonly 'x-sources'?: unknown })['x-sources']
  const text =
    typeof stated === 'object' && stated !== null && Object.hasOwn(stated, id)
      ? (stated as Record<string, unknown>)[id]
      : null
  const cwd = spec.kind === 'local' ? spec.path : home
  if (typeof text !== 'string') return spec.kind === 'catalog' ? { id, text: `${id}@${spec.catalog}`, cwd } : null
  const named = parseSpec(text, { cwd, home })
  const isLocal = named.kind === 'local' || (named.kind === 'tarball' && named.at.kind === 'file')
  if (isLocal && (spec.kind !== 'local' || !/^\.\.?\//.test(text))) {
    throw new GsdError(
      'SPEC_REFUSED',
      `${quote(manifest.id)} says that ${quote(id)} comes from ${quote(text)}, which is a path of this machine`,
      {
        hint: `install ${id} yourself first, from a source you trust`,
        details: { id, requiredBy: manifest.id },
      },
    )
  }
  return { id, text, cwd }
}

const otherId = ({ id, text }: Pick<Wanted, 'id' | 'text'>, found: string): GsdError =>
  new GsdError('SPEC_REFUSED', `${quote(text)} is said to hold ${quote(id)}, and holds ${quote(found)}`, {
    hint: `install ${id} yourself first, from a source you trust`,
    details: { id, found },
  })

import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import type { DeclaredKey } from './declared-key.ts'
import { findIn, type ConfigLayer, type ConfigLayers, type FoundValue, type Origin } from './layer.ts'
import { describeType, judge } from './value-type.ts'

/** A key with its value and who set it. `line` is 1-based. */
export interface ResolvedKey {
  readonly key: string
  /** Undefined only where nobody set it and it has no default. */
  readonly value: unknown
  readonly type: string
  readonly owner: string | null
  readonly origin: Origin
  readonly file: string | null
  readonly line: number | null
}

/** A resolved key, with the values that were passed over on the way. */
export interface Resolution {
  readonly resolved: ResolvedKey
  readonly warnings: readonly Diagnostic[]
}

/**
 * The value of a key: of the call, the project, the user's defaults, else the declared default (loop page,
 * "Configuration"). A value of a wrong type counts as absent, with a warning; null unsets a key that cannot hold it.
 */
export const resolveKey = (declared: DeclaredKey, { layers }: ConfigLayers): Resolution => {
  const warnings: Diagnostic[] = []
  for (const layer of layers) {
    const { nested, dotted } = findIn(layer.values, declared.key)
    if (nested !== null && dotted !== null) warnings.push(bothForms(declared, layer, nested, dotted))
    const found = nested ?? dotted
    if (found === null) continue
    const judged = judge(found.value, declared)
    if (judged.kind === 'converted') warnings.push(convertedText(declared, layer, found))
    if (judged.kind !== 'wrong') {
      const line = placeOf(layer, found)?.line ?? null
      return {
        resolved: { ...plain(declared), value: judged.value, origin: layer.origin, file: layer.file, line },
        warnings,
      }
    }
    if (found.value !== null) warnings.push(wrongType(declared, layer, found))
  }
  return {
    resolved: { ...plain(declared), value: declared.default, origin: 'default', file: null, line: null },
    warnings,
  }
}

const plain = ({ key, type, owner }: DeclaredKey): Pick<ResolvedKey, 'key' | 'type' | 'owner'> => ({ key, type, owner })

const placeOf = ({ locate, prefix }: ConfigLayer, { path }: FoundValue) => locate([...prefix, ...path])

const wrongType = (declared: DeclaredKey, layer: ConfigLayer, found: FoundValue): Diagnostic =>
  about(
    'STATE_CONFIG_INVALID',
    `${declared.key} is ${quote(found.value)}, which is not ${withArticle(describeType(declared))}; it is not used`,
    layer,
    found,
    `write ${describeType(declared)} for ${declared.key}, or remove it`,
  )

const convertedText = (declared: DeclaredKey, layer: ConfigLayer, found: FoundValue): Diagnostic =>
  about(
    'STATE_CONFIG_TEXT',
    `${declared.key} is the text ${quote(found.value)} and is taken as a boolean`,
    layer,
    found,
    `write ${String(found.value)} without quotes`,
  )

const bothForms = (declared: DeclaredKey, layer: ConfigLayer, nested: FoundValue, dotted: FoundValue): Diagnostic =>
  about(
    'STATE_CONFIG_TWICE',
    `${declared.key} is set twice, as ${quote(declared.key)} and member by member; the member-by-member value ${quote(nested.value)} counts`,
    layer,
    dotted,
    `remove the member ${quote(declared.key)}`,
  )

const about = (
  code: Diagnostic['code'],
  message: string,
  layer: ConfigLayer,
  found: FoundValue,
  hint: string,
): Diagnostic =>
  diagnostic('warning', code, message, {
    ...(layer.file === null ? {} : { file: layer.file }),
    ...placeOf(layer, found),
    hint,
  })

const withArticle = (words: string): string => (/^(?:one|any)\b/.test(words) ? words : `a ${words}`)

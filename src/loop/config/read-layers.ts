import { join } from 'node:path'
import { diagnostic, type Diagnostic } from '../../diagnostic.ts'
import { quote } from '../../redact.ts'
import { shellQuote } from '../../shell-quote.ts'
import { callLayer } from './call-layer.ts'
import type { ConfigLayer, ConfigLayers } from './layer.ts'
import { readConfigText, type ConfigText } from './read-config-text.ts'
import { isObject } from './value-type.ts'

/** Where the configuration of one call comes from. */
export interface ConfigPlaces {
  /** The project's folder; null: there is none. */
  readonly project: string | null
  /** The user's `config.json`. */
  readonly user: string
  /** Values of the call itself: dotted key → value. */
  readonly call?: Readonly<Record<string, unknown>>
}

/** The project's configuration file. */
export const projectConfigFile = (project: string): string => join(project, '.planning', 'config.json')

/** Reads the layers of configuration values. Never throws: a file that cannot be used is left out, with a warning. */
export const readLayers = ({ project, user, call }: ConfigPlaces): ConfigLayers => {
  const warnings: Diagnostic[] = []
  const layers: ConfigLayer[] = []
  if (call !== undefined && Object.keys(call).length > 0) layers.push(callLayer(call))
  if (project !== null) {
    const file = projectConfigFile(project)
    const text = readConfigText(file)
    if (text.state === 'unreadable') warnings.push(unreadable('project', file, text))
    if (text.state === 'ok') layers.push(layerOf('project', file, text, []))
  }
  const text = readConfigText(user)
  if (text.state === 'unreadable') warnings.push(unreadable('user', user, text))
  if (text.state === 'ok') {
    const defaults = Object.hasOwn(text.root, 'defaults') ? text.root['defaults'] : {}
    if (isObject(defaults)) layers.push(layerOf('user', user, { ...text, root: defaults }, ['defaults']))
    else warnings.push(wrongDefaults(user, text))
  }
  return { layers, warnings }
}

type ReadText = Extract<ConfigText, { state: 'ok' }>

const layerOf = (origin: 'project' | 'user', file: string, text: ReadText, prefix: readonly string[]): ConfigLayer => ({
  origin,
  file,
  values: text.root,
  locate: text.locate,
  prefix,
})

const unreadable = (
  whose: 'project' | 'user',
  file: string,
  { reason, place }: Extract<ConfigText, { state: 'unreadable' }>,
): Diagnostic =>
  diagnostic('warning', 'STATE_UNREADABLE', `the ${whose}'s configuration ${quote(file)} cannot be read: ${reason}`, {
    file,
    ...place,
    hint: `correct ${shellQuote(file)}${place === null ? '' : ` at line ${place.line}`}`,
  })

const wrongDefaults = (file: string, { locate }: ReadText): Diagnostic =>
  diagnostic('warning', 'STATE_CONFIG_INVALID', `"defaults" in ${quote(file)} is not an object and is not used`, {
    file,
    ...locate(['defaults']),
    hint: 'write {"defaults":{"<key>":<value>}}',
  })

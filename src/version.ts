import manifest from '../package.json' with { type: 'json' }

/** The version of this program. */
export const VERSION: string = manifest.version

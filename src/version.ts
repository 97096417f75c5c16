import manifest from '../package.json' with { type: 'json' }

/** The version of this program. */
export const VERSION: string = manifest.version

/** The GSD contract that this program provides: the host version where nothing names another. */
export const CONTRACT_VERSION = '1.14.0'

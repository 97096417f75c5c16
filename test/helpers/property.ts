import fc from 'fast-check'
import { FULL } from './full-run.ts'

/**
 * Properties try the same cases in every run, so that a test fails because of a change and never by chance. A
 * full run tries new ones.
 */
if (!FULL) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1_862_731 })

export { default as fc } from 'fast-check'

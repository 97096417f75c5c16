import fc from 'fast-check'

/**
 * Properties try the same cases in every run, so that a test fails because of a change and never by chance. With
 * `GSD_TEST_FULL=1` they try new ones.
 */
if (process.env.GSD_TEST_FULL !== '1') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1_862_731 })

export { default as fc } from 'fast-check'

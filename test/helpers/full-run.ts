/** `npm run test:full`: leaves nothing out that `npm test` samples, and tries fresh random cases. */
export const FULL = process.env['GSD_TEST_FULL'] === '1'

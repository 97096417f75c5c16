/** `npm run test:full`: runs every case that `npm test` samples, and fresh random cases. */
export const FULL = process.env['GSD_TEST_FULL'] === '1'

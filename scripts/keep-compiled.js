/** Runs the program like `bin/gsd.js`, and keeps what it compiled beside its files. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
/** @type {import('../bin/compiled.js')} */
const { run, scripts, SIGN } = require('../bin/compiled.js')

process.on('exit', () => {
  for (const [file, script] of scripts) {
    const form = file.replace(/\.cjs$/, '.code')
    // Whole, then in its place: the program can be run while it is built.
    writeFileSync(`${form}.new`, Buffer.concat([readFileSync(file).subarray(0, SIGN), script.createCachedData()]))
    renameSync(`${form}.new`, form)
  }
})

run()

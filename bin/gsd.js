#!/usr/bin/env node
// --version and --help are answered with a text that the build has written: nothing of the program is read for it.
const { readFileSync, writeSync } = require('node:fs')
const text = /^(--version|--help|-h)$/.exec(process.argv.slice(2).join(' '))?.[1].replace(/^-+/, '')
try {
  if (text === undefined) require('./compiled.js').run()
  else writeSync(1, readFileSync(`${__dirname}/../dist/answers/${text}.txt`))
} catch (error) {
  if (text === undefined) throw error
  require('./compiled.js').run()
}
